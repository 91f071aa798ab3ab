#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "storage/database.hpp"

namespace waybill::storage {

/// A Database whose writes are one transaction, so that all of them are committed together or not at all.
///
/// The transaction begins with the first write or `begin`, and `commit` ends it. Before it begins, reads go
/// to `base`; from then on they run in it and see what it wrote. A write, or a Transaction begun here, that
/// fails or is dropped is undone alone; while nothing else was written, the transaction ends with it and its
/// connection is free again. The commit of a Transaction begun here sends nothing: deferred constraints are
/// checked by `commit`. After the connection broke every call fails with DatabaseUnavailable. A UnitOfWork
/// that is dropped is rolled back; it outlives the Transactions begun here. One coroutine uses it.
class UnitOfWork final : public Database {
 public:
  /// The first statement of the transaction. `check` gets its rows, and throws to refuse the transaction.
  struct Opening {
    Statement statement;
    Params params;
    std::function<void(const Rows&)> check;
  };

  UnitOfWork(Database& base, Opening opening);
  ~UnitOfWork() override;

  asio::awaitable<Rows> read(const Statement& statement, Params params, Format format) override;
  asio::awaitable<Rows> read_merged(const Statement& statement, const Statement& merged, Params key,
                                    Format format) override;
  asio::awaitable<Rows> read_text(std::string_view name, std::string text, Params params,
                                  Format format) override;
  asio::awaitable<Rows> read_long(Guid business, std::string_view name, std::string text, Params params,
                                  Format format) override;
  asio::awaitable<Rows> write(const Statement& statement, Params params, Cause cause) override;
  asio::awaitable<std::unique_ptr<Transaction>> begin(Cause cause) override;
  asio::awaitable<bool> reachable() override;

  /// True once the transaction was begun, whatever became of it.
  bool was_begun() const;

  /// Throws StatementError: nothing was committed. DatabaseUnavailable: unknown. Nothing happens when nothing
  /// was written.
  asio::awaitable<void> commit();

 private:
  class Part;
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace waybill::storage
