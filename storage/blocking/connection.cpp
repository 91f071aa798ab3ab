#include "storage/blocking/connection.hpp"

#include <stdexcept>
#include <vector>

#include "storage/blocking/errors.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage::blocking {

/// Notes the notifications of one channel.
class Connection::Receiver final : public pqxx::notification_receiver {
 public:
  Receiver(pqxx::connection& connection, const std::string& channel, std::set<std::string>& notified)
      : notification_receiver(connection, channel), notified_(notified) {}

  void operator()(const std::string&, int) override { notified_.insert(channel()); }

 private:
  std::set<std::string>& notified_;
};

Connection::Connection(const std::string& url, std::string_view application_name,
                       const SessionLimits& limits) try
    : connect_(url), connection_(pq::conninfo(connect_.url(), application_name, session_settings(limits))) {
// A new session would not have the settings, locks and channels of the one before.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  connection_.set_verbosity(pqxx::connection_base::terse);
  connect_.succeeded(connection_.hostname(), connection_.port());
  calls_.open(limits.silence, [&] {
    return watched_server(url, {.socket = connection_.sock(),
                                .process = connection_.backendpid(),
                                .host = connection_.hostname(),
                                .port = connection_.port()});
  });
} catch (...) {
  throw_not_connected();
}

Connection::~Connection() {
  calls_.close();
  // Without a connection the receivers do not send UNLISTEN, which a server that hangs would not answer.
  connection_.disconnect();
}

/// Calls `work`, which waits for the server, and translates its errors.
template <typename Work>
decltype(auto) Connection::watched(Work work) {
  const WatchedCalls::Call call(calls_);
  try {
    return translated(work);
  } catch (const DatabaseUnavailable&) {
    if (calls_.is_ended()) throw DatabaseUnavailable(silent_server);
    throw;
  }
}

pqxx::result Connection::run(pqxx::transaction_base& transaction, const Statement& statement,
                             const Params& params) {
  if (params.formats() != nullptr) throw std::invalid_argument("libpqxx sends only text");
  return watched([&] {
    const std::string name(statement.name);
    connection_.prepare(name, std::string(statement.text));  // on the server with the first use
    std::vector<const char*> values(params.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = params.value(i);
    return transaction.exec_prepared(name, pqxx::prepare::make_dynamic_params(values));
  });
}

pqxx::result Connection::run(const Statement& statement, const Params& params) {
  return watched([&] {
    pqxx::nontransaction transaction(connection_);
    return run(transaction, statement, params);
  });
}

pqxx::result Connection::execute(const std::string& sql) {
  return watched([&] { return pqxx::nontransaction(connection_).exec(sql); });
}

void Connection::listen(const std::string& channel) {
  watched([&] { receivers_.emplace_back(connection_, channel, notified_); });
  // libpqxx does not report a connection that breaks here.
  if (!connection_.is_open()) throw DatabaseUnavailable("the connection to the database was lost");
}

std::set<std::string> Connection::notifications() {
  if (!connection_.is_open()) throw DatabaseUnavailable("the connection to the database was lost");
  translated([&] { connection_.get_notifs(); });
  return std::exchange(notified_, {});
}

Transaction::Transaction(Connection& connection) try
    : connection_(connection), call_(connection.calls_), work_(connection.connection_) {
  call_.reset();
} catch (...) {
  throw_translated();
}

// A transaction that was not committed is rolled back after this, within the call.
Transaction::~Transaction() { call_.emplace(connection_.calls_); }

pqxx::result Transaction::run(const Statement& statement, const Params& params) {
  return connection_.run(work_, statement, params);
}

pqxx::result Transaction::execute(const std::string& sql) {
  return connection_.watched([&] { return work_.exec(sql); });
}

void Transaction::commit() {
  connection_.watched([&] { work_.commit(); });
}

}  // namespace waybill::storage::blocking
