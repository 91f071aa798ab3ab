#pragma once

#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include <pqxx/pqxx>

#include "storage/blocking/typed_rows.hpp"
#include "storage/session/call_watch.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage::blocking {

class Connection;

/// A transaction that Connection::transact has begun.
class Transaction {
 public:
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  /// Runs a statement, preparing it the first time.
  pqxx::result run(const Statement& statement, const Params& params = {});
  template <TypedStatement S>
  ResultOf<S, pqxx::result> run(const S& statement) {
    return ResultOf<S, pqxx::result>(run(S::statement, statement.params()));
  }

  /// Runs one or more statements of literal SQL; returns the rows of the last.
  pqxx::result execute(const std::string& sql);

 private:
  friend class Connection;

  explicit Transaction(Connection& connection);
  void commit();

  Connection& connection_;
  std::optional<WatchedCalls::Call> call_;  // of the statements that begin and end the transaction
  pqxx::work work_;
};

/// A connection for threads that may block, where text is enough: commands, migrations, background duties.
/// UTC, ISO dates, UTF-8. If the URL has several hosts, it connects to the primary. One thread at a time.
/// Every method throws StatementError if the server refuses the statement and DatabaseUnavailable if the
/// server is unreachable; after the latter the connection is unusable, because it never reconnects.
class Connection {
 public:
  Connection(const std::string& url, std::string_view application_name, const SessionLimits& limits = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs a statement as one transaction, preparing it the first time.
  pqxx::result run(const Statement& statement, const Params& params = {});
  template <TypedStatement S>
  ResultOf<S, pqxx::result> run(const S& statement) {
    return ResultOf<S, pqxx::result>(run(S::statement, statement.params()));
  }

  /// Runs one or more statements of literal SQL as one transaction; returns the rows of the last.
  pqxx::result execute(const std::string& sql);

  /// Calls `body` with a Transaction and commits. An exception of `body` rolls the transaction back. `body`
  /// runs its statements on the Transaction only.
  template <typename Body>
  std::invoke_result_t<Body&, Transaction&> transact(Body body) {
    Transaction transaction(*this);
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, Transaction&>>) {
      body(transaction);
      transaction.commit();
    } else {
      auto result = body(transaction);
      transaction.commit();
      return result;
    }
  }

  /// Subscribes to a channel, so that `notifications` returns it.
  void listen(const std::string& channel);
  /// The socket to wait on: it is readable when a notification may have arrived.
  int socket() const { return connection_.sock(); }
  /// Returns the channels notified since the last call, each once. Throws DatabaseUnavailable if the
  /// connection has ended.
  std::set<std::string> notifications();

 private:
  friend class Transaction;

  class Receiver;

  pqxx::result run(pqxx::transaction_base& transaction, const Statement& statement, const Params& params);

  template <typename Work>
  decltype(auto) watched(Work work);

  WatchedConnect connect_;
  pqxx::connection connection_;
  WatchedCalls calls_;
  std::set<std::string> notified_;
  std::list<Receiver> receivers_;
};

}  // namespace waybill::storage::blocking
