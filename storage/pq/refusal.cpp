#include "storage/pq/refusal.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/ascii.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/pq/timed_connection.hpp"

namespace waybill::storage::pq {
namespace {

using std::chrono::steady_clock;

constexpr auto longest_attempt = std::chrono::seconds(2);

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
  const auto connection = connect_until(params, steady_clock::now() + longest_attempt, PQERRORS_SQLSTATE);
  return sqlstate_in(PQerrorMessage(connection.get()));
}

}  // namespace waybill::storage::pq
