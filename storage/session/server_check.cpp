#include "storage/session/server_check.hpp"

#include <poll.h>
#include <utility>

#include "base/number.hpp"

namespace waybill::storage {
namespace {

// The states of other roles' sessions and of background processes are hidden or null.
constexpr const char* find_active =
    "select pid from pg_stat_activity where coalesce(state, '') not like 'idle%'";

}  // namespace

ServerCheck::ServerCheck(std::string connection)
    : text_(std::move(connection)), connection_(PQconnectStart(text_.c_str())), awaits_(POLLOUT) {
  if (connection_) PQsetNoticeReceiver(connection_.get(), [](void*, const PGresult*) {}, nullptr);
}

bool ServerCheck::continues_to_end() {
  if (PQstatus(connection_.get()) == CONNECTION_BAD) return true;
  while (is_ready()) {
    if (is_connected_ ? receive() : connect()) return true;
  }
  return false;
}

bool ServerCheck::is_ready() const {
  pollfd watched{.fd = PQsocket(connection_.get()), .events = awaits_, .revents = 0};
  return poll(&watched, 1, 0) > 0;
}

bool ServerCheck::connect() {
  switch (PQconnectPoll(connection_.get())) {
    case PGRES_POLLING_READING:
      awaits_ = POLLIN;
      return false;
    case PGRES_POLLING_WRITING:
      awaits_ = POLLOUT;
      return false;
    case PGRES_POLLING_OK:
      awaits_ = POLLIN;
      is_connected_ = true;
      return PQsendQuery(connection_.get(), find_active) == 0;
    default:
      return true;
  }
}

bool ServerCheck::receive() {
  if (PQconsumeInput(connection_.get()) == 0) return true;
  if (PQisBusy(connection_.get()) != 0) return false;
  const pq::ResultHandle result(PQgetResult(connection_.get()));
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) return true;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    if (const auto process = parse_number<int>(PQgetvalue(result.get(), row, 0))) active_.insert(*process);
  }
  knows_sessions_ = active_.contains(PQbackendPID(connection_.get()));
  return true;
}

}  // namespace waybill::storage
