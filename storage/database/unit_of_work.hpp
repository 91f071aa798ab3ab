#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "storage/database/commit_position.hpp"
#include "storage/database/database.hpp"

namespace waybill::storage {

/// A Database whose writes are one transaction: all of them are committed together or not at all.
///
/// The transaction begins with the first write or `begin`, and `commit` ends it. Reads before that go to
/// `base`; later reads run in the transaction and see its writes. A failed write is undone alone, and so is
/// an inner Transaction (from `begin`) that fails or is destroyed without commit. If nothing else was
/// written, the transaction then ends and its connection is free again. The commit of an inner Transaction
/// sends nothing: `commit` checks deferred constraints. After the connection broke, every call fails with
/// DatabaseUnavailable. A UnitOfWork destroyed without `commit` is rolled back; it must outlive its inner
/// Transactions. Used by one coroutine.
class UnitOfWork final : public Database {
 public:
  /// The first statement of the transaction. `check` gets its rows and throws to refuse the transaction.
  struct Opening {
    Statement statement;
    Params params;
    std::function<void(const Rows&)> check;
  };

  UnitOfWork(Database& base, Opening opening);
  ~UnitOfWork() override;

  using Database::write;
  using Database::write_shared;
  asio::awaitable<Rows> run_read(Read read) override;
  asio::awaitable<Rows> write(const Statement& statement, Params params, Cause cause) override;
  asio::awaitable<Rows> write_shared(SharedWrite change, Cause cause) override;
  asio::awaitable<std::unique_ptr<Transaction>> begin(Cause cause) override;
  asio::awaitable<bool> reachable() override;

  /// True once the transaction was begun, even if it has ended.
  bool was_begun() const;

  /// Rolls back what was not committed. Returns when its locks are free, after a second at the latest.
  asio::awaitable<void> roll_back();
  /// Throws StatementError if nothing was committed, DatabaseUnavailable if the outcome is unknown. Does
  /// nothing if no transaction is open.
  asio::awaitable<void> commit();
  /// Returns a position that covers the commit; nullopt before it.
  std::optional<CommitPosition> position() const;

 private:
  class Part;
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace waybill::storage
