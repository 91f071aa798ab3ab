#include "storage/session/pq_link.hpp"

#include <array>
#include <future>
#include <memory>
#include <sys/socket.h>
#include <utility>

#include "base/thread/thread.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage {
namespace {

// Bytes per call of PQputCopyData, which buffers a copy until it is sent. Each becomes one message, which the
// server reads whole into memory of the next power of two: small ones stay in the caches of both sides.
constexpr std::size_t copy_portion = 60UL * 1024;

constexpr auto longest_cancel = std::chrono::seconds(5);

/// Returns the values for libpq, valid as long as the parameters.
std::vector<const char*> values_of(const Params& params) {
  std::vector<const char*> values(params.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = params.value(i);
  return values;
}

}  // namespace

PqLink::PqLink(const std::string& url, std::string_view application_name, const SessionLimits& limits) {
  WatchedConnect connect(url);
  const pq::ConnectParams params(connect.url(), application_name,
                                 session_settings(limits) + std::string(pq::plans_without_scans));
  connection_.reset(PQconnectdbParams(params.keywords(), params.values(), 1));
  if (PQstatus(connection_.get()) != CONNECTION_OK) throw_unavailable();
  connect.succeeded(PQhost(connection_.get()), PQport(connection_.get()));
  calls_.open(limits.silence, [&] {
    return watched_server(url, {.socket = PQsocket(connection_.get()),
                                .process = PQbackendPID(connection_.get()),
                                .host = PQhost(connection_.get()),
                                .port = PQport(connection_.get())});
  });
  // By default libpq prints notices on stderr, among the lines of the log. Important ones are also errors.
  PQsetNoticeReceiver(connection_.get(), [](void*, const PGresult*) {}, nullptr);
}

/// Prepares the statement at its first use. Returns the server's name of it.
std::string PqLink::prepared(const Statement& statement) {
  std::string name(statement.name);
  if (!prepared_.contains(name)) {
    const WatchedCalls::Call call(calls_);
    checked(PQprepare(connection_.get(), name.c_str(), std::string(statement.text).c_str(), 0, nullptr));
    prepared_.emplace(name, KeptPlan{.made = std::chrono::steady_clock::now()});
  }
  return name;
}

void PqLink::stream(const Statement& statement, const Params& params, Format format, const TakeRow& take) {
  // The cancellation of a statement ends its transaction unless there is a savepoint.
  const bool in_transaction = PQtransactionStatus(connection_.get()) == PQTRANS_INTRANS;
  if (in_transaction) execute("savepoint stream");
  const bool is_complete = stream_rows(statement, params, format, take);
  if (in_transaction)
    execute(is_complete ? "release stream" : "rollback to savepoint stream; release stream");
}

/// Returns true if `take` never returned false.
bool PqLink::stream_rows(const Statement& statement, const Params& params, Format format,
                         const TakeRow& take) {
  const std::string name = prepared(statement);
  const auto values = values_of(params);
  if (!send(name, values, params, format)) throw_unavailable();
  bool wants_more = true;
  PGresult* last = nullptr;
  while (PGresult* result = next_result()) {
    if (PQresultStatus(result) != PGRES_SINGLE_TUPLE) {
      PQclear(std::exchange(last, result));
      continue;
    }
    const Rows row(result);
    if (!wants_more || take(row)) continue;
    wants_more = false;
    cancel();
  }
  if (wants_more || PQstatus(connection_.get()) != CONNECTION_OK) {
    checked(last);
  } else {
    PQclear(last);  // the last rows, or the cancellation error
  }
  return wants_more;
}

/// Sends the statement of a stream.
bool PqLink::send(const std::string& name, const std::vector<const char*>& values, const Params& params,
                  Format format) {
  const WatchedCalls::Call call(calls_);
  return PQsendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()), values.data(),
                             params.lengths(), params.formats(), static_cast<int>(format)) == 1 &&
         PQsetSingleRowMode(connection_.get()) == 1;
}

/// A result of a stream: the time between two belongs to the one who takes the rows.
PGresult* PqLink::next_result() {
  const WatchedCalls::Call call(calls_);
  return PQgetResult(connection_.get());
}

Rows PqLink::run(const Statement& statement, const Params& params, Format format) {
  const WatchedCalls::Call call(calls_);
  const std::string name = prepared(statement);
  const auto values = values_of(params);
  return checked(PQexecPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()),
                                values.data(), params.lengths(), params.formats(), static_cast<int>(format)));
}

Rows PqLink::run_replanned(const Statement& statement, const Params& params) {
  const WatchedCalls::Call call(calls_);
  const auto values = values_of(params);
  return checked(PQexecParams(connection_.get(), std::string(statement.text).c_str(),
                              static_cast<int>(values.size()), nullptr, values.data(), params.lengths(),
                              params.formats(), 0));
}

Rows PqLink::run_with_fresh_plan(const Statement& statement, const Params& params) {
  const auto started = std::chrono::steady_clock::now();
  const auto found = prepared_.find(statement.name);
  if (found != prepared_.end() && found->second.must_be_made_again(started)) {
    execute("deallocate \"" + found->first + '"');
    prepared_.erase(found);
  }
  Rows rows = run(statement, params, Format::text);
  prepared_.find(statement.name)->second.used += std::chrono::steady_clock::now() - started;
  return rows;
}

Rows PqLink::execute(const std::string& sql) {
  const WatchedCalls::Call call(calls_);
  return checked(PQexec(connection_.get(), sql.c_str()));
}

void PqLink::copy(const std::string& target, std::string_view rows) {
  const WatchedCalls::Call call(calls_);
  checked(PQexec(connection_.get(), ("copy " + target + " from stdin (format binary)").c_str()));
  bool sent = true;
  for (std::size_t at = 0; sent && at < rows.size(); at += copy_portion) {
    const std::string_view portion = rows.substr(at, copy_portion);
    sent = PQputCopyData(connection_.get(), portion.data(), static_cast<int>(portion.size())) == 1;
  }
  if (!sent || PQputCopyEnd(connection_.get(), nullptr) != 1) throw_unavailable();
  PGresult* last = nullptr;
  while (PGresult* result = PQgetResult(connection_.get())) {
    PQclear(last);
    last = result;
  }
  checked(last);
}

/// Requests the cancellation of the running statement. Rows that are already sent still arrive. libpq waits
/// for the server without a limit, so it does on another thread: a server that is silent loses the session.
void PqLink::cancel() {
  struct Request {
    explicit Request(PGconn* connection) : handle(PQgetCancel(connection), PQfreeCancel) {}
    const std::unique_ptr<PGcancel, void (*)(PGcancel*)> handle;
    std::promise<void> end;
  };
  const auto request = std::make_shared<Request>(connection_.get());
  if (!request->handle) return;
  auto end = request->end.get_future();
  Thread thread(ThreadKind::cancel, [request](const std::stop_token&) {
    std::array<char, 256> error{};
    PQcancel(request->handle.get(), error.data(), static_cast<int>(error.size()));
    request->end.set_value();
  });
  if (end.wait_for(longest_cancel) == std::future_status::ready) return;
  thread.detach();
  shutdown(PQsocket(connection_.get()), SHUT_RDWR);
}

int PqLink::socket() const { return PQsocket(connection_.get()); }

std::set<std::string> PqLink::notifications() {
  if (PQconsumeInput(connection_.get()) == 0) throw_unavailable();
  std::set<std::string> channels;
  while (PGnotify* notification = PQnotifies(connection_.get())) {
    channels.emplace(notification->relname);
    PQfreemem(notification);
  }
  return channels;
}

Rows PqLink::checked(PGresult* result) {
  pq::ResultHandle handle(result);
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
    case PGRES_COPY_IN:
      return Rows(handle.release());
    default:
      break;
  }
  if (PQstatus(connection_.get()) != CONNECTION_OK || result == nullptr) throw_unavailable();
  const StatementError error = pq::statement_error(result);
  // An error without SQLSTATE is one of libpq's own: the connection is lost, although its status can be OK.
  if (error.sqlstate().empty()) throw_unavailable();
  if (ends_session(error.sqlstate())) throw DatabaseUnavailable(error.what());
  throw error;
}

void PqLink::throw_unavailable() {
  if (calls_.is_ended()) throw DatabaseUnavailable(silent_server);
  std::string message = PQerrorMessage(connection_.get());
  while (message.ends_with('\n')) message.pop_back();
  throw DatabaseUnavailable(message);
}

}  // namespace waybill::storage
