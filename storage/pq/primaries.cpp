#include "storage/pq/primaries.hpp"

#include <chrono>
#include <poll.h>
#include <set>

#include "base/clock.hpp"
#include "base/thread/wake_up.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/pq/libpq.hpp"

namespace waybill::storage::pq {
namespace {

constexpr auto longest_question = std::chrono::seconds(2);

// The time at which a server started tells it from all others.
constexpr const char* find_primary = "select pg_postmaster_start_time() where not pg_is_in_recovery()";

/// The question to one host whether it is a primary.
class PrimaryQuestion {
 public:
  explicit PrimaryQuestion(const Server& server) : name_(server.name) {
    const ConnectParams params(server.connection, "waybill check", own_settings);
    connection_.reset(PQconnectStartParams(params.keywords(), params.values(), 1));
    if (PQstatus(connection_.get()) == CONNECTION_BAD) connection_.reset();
    if (connection_) PQsetNoticeReceiver(connection_.get(), [](void*, const PGresult*) {}, nullptr);
  }

  const std::string& name() const { return name_; }
  /// The time at which the server started; empty if it is a standby or has not answered.
  const std::string& start_of_primary() const { return start_; }
  bool is_over() const { return !connection_; }

  /// The socket for which an open question waits.
  pollfd awaited() const {
    const short events = state_ == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    return {.fd = PQsocket(connection_.get()), .events = events, .revents = 0};
  }
  /// Continues an open question whose socket is ready.
  void advance() {
    if (is_asked_) return read_answer();
    state_ = PQconnectPoll(connection_.get());
    if (state_ == PGRES_POLLING_FAILED) return connection_.reset();
    if (state_ != PGRES_POLLING_OK) return;
    is_asked_ = true;
    state_ = PGRES_POLLING_READING;
    if (PQsendQuery(connection_.get(), find_primary) == 0) connection_.reset();
  }

 private:
  void read_answer() {
    if (PQconsumeInput(connection_.get()) == 0) return connection_.reset();
    if (PQisBusy(connection_.get()) != 0) return;
    const ResultHandle rows(PQgetResult(connection_.get()));
    if (PQresultStatus(rows.get()) == PGRES_TUPLES_OK && PQntuples(rows.get()) == 1)
      start_ = PQgetvalue(rows.get(), 0, 0);
    connection_.reset();
  }

  std::string name_;
  std::string start_;
  ConnectionHandle connection_;  // null if the question is over
  PostgresPollingStatusType state_ = PGRES_POLLING_WRITING;
  bool is_asked_ = false;
};

}  // namespace

std::vector<std::string> primaries_of(const std::string& url, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + longest_question;
  std::vector<PrimaryQuestion> questions;
  for (const Server& server : servers_of(url)) questions.emplace_back(server);
  WakeUp wake_up;
  const std::stop_callback on_stop(stop, [&] { wake_up.wake(); });
  while (!stop.stop_requested()) {
    std::vector<PrimaryQuestion*> open;
    std::vector<pollfd> sockets;
    for (PrimaryQuestion& question : questions) {
      if (question.is_over()) continue;
      open.push_back(&question);
      sockets.push_back(question.awaited());
    }
    const auto left = std::chrono::ceil<Duration>(end - std::chrono::steady_clock::now());
    if (open.empty() || left <= Duration::zero()) break;
    wake_up.wait(sockets, left);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (sockets[i].revents != 0) open[i]->advance();
    }
  }
  std::vector<std::string> names;
  std::set<std::string> starts;
  for (const PrimaryQuestion& question : questions) {
    const std::string& start = question.start_of_primary();
    if (!start.empty() && starts.insert(start).second) names.push_back(question.name());
  }
  return names;
}

}  // namespace waybill::storage::pq
