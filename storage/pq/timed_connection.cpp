#include "storage/pq/timed_connection.hpp"

#include <chrono>
#include <poll.h>

namespace waybill::storage::pq {
namespace {

/// Waits until the connection can continue. False at the end of the time.
bool wait_for(PGconn* connection, PostgresPollingStatusType state, SteadyTime end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  if (left.count() <= 0) return false;
  const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  pollfd entry{.fd = PQsocket(connection), .events = events, .revents = 0};
  return poll(&entry, 1, static_cast<int>(left.count())) > 0;
}

}  // namespace

ConnectionHandle connect_until(const ConnectParams& params, SteadyTime end, PGVerbosity verbosity) {
  ConnectionHandle connection(PQconnectStartParams(params.keywords(), params.values(), 1));
  if (!connection) return connection;
  PQsetErrorVerbosity(connection.get(), verbosity);
  PQsetNoticeReceiver(connection.get(), [](void*, const PGresult*) {}, nullptr);
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (PQstatus(connection.get()) != CONNECTION_BAD && state != PGRES_POLLING_OK &&
         state != PGRES_POLLING_FAILED && wait_for(connection.get(), state, end)) {
    state = PQconnectPoll(connection.get());
  }
  return connection;
}

}  // namespace waybill::storage::pq
