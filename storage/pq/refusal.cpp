#include "storage/pq/refusal.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <poll.h>
#include <string_view>

#include <libpq-fe.h>

#include "base/ascii.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage::pq {
namespace {

using std::chrono::steady_clock;

constexpr auto longest_attempt = std::chrono::seconds(2);

/// Waits until the connection can continue. False at the end of the time.
bool wait_for(PGconn* connection, PostgresPollingStatusType state, steady_clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
  if (left.count() <= 0) return false;
  const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  pollfd entry{.fd = PQsocket(connection), .events = events, .revents = 0};
  return poll(&entry, 1, static_cast<int>(left.count())) > 0;
}

/// Finds "FATAL:  53300" in a message of libpq that has the SQLSTATE instead of the server's text.
std::string sqlstate_in(std::string_view message) {
  constexpr std::string_view separator = ":  ";
  constexpr std::size_t length = 5;
  for (std::size_t at = message.find(separator); at != std::string_view::npos;
       at = message.find(separator, at + 1)) {
    const std::string_view rest = message.substr(at + separator.size());
    const std::string_view code = rest.substr(0, rest.find('\n'));
    const auto fits = [](char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); };
    if (code.size() == length && std::ranges::all_of(code, fits)) return std::string(code);
  }
  return {};
}

}  // namespace

std::string refusal_of(const std::string& url) {
  const ConnectParams params(url, "waybill doctor", "");
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
      PQconnectStartParams(params.keywords(), params.values(), 1), PQfinish);
  if (!connection) return {};
  PQsetErrorVerbosity(connection.get(), PQERRORS_SQLSTATE);
  const auto end = steady_clock::now() + longest_attempt;
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (PQstatus(connection.get()) != CONNECTION_BAD && state != PGRES_POLLING_OK &&
         state != PGRES_POLLING_FAILED && wait_for(connection.get(), state, end)) {
    state = PQconnectPoll(connection.get());
  }
  return sqlstate_in(PQerrorMessage(connection.get()));
}

}  // namespace waybill::storage::pq
