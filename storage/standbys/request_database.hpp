#pragma once

#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "storage/database/database.hpp"
#include "storage/standbys/standbys.hpp"

namespace waybill::storage {

/// The database as one request uses it: it keeps the position of the request's commits, and sends the reads
/// to a standby if there are any. The reads of a request never go back in time: each shows at least the
/// position of the one before, and after the primary has served one, it serves all further ones. Writes,
/// transactions and merged reads (one record by its key) always use the primary. Used by one coroutine.
class RequestDatabase final : public Database {
 public:
  /// `standbys` is null if the request must read on the primary. The reads show at least `required`. Both
  /// references outlive it, and it outlives its transactions.
  RequestDatabase(Database& base, Standbys* standbys, const CommitPosition& required)
      : base_(base), standbys_(standbys), required_(required) {}

  const Commits& commits() const { return commits_; }

  using Database::write;
  using Database::write_shared;
  asio::awaitable<Rows> run_read(Read read) override;
  asio::awaitable<Rows> write(const Statement& statement, Params params, Cause cause) override;
  asio::awaitable<Rows> write_shared(SharedWrite change, Cause cause) override;
  asio::awaitable<std::unique_ptr<Transaction>> begin(Cause cause) override;
  asio::awaitable<bool> reachable() override;
  asio::awaitable<std::optional<StandbyTarget>> standby() override;
  std::optional<CommitPosition> read_position() const override;

 private:
  asio::awaitable<Rows> read_on_standby(Read read);

  Database& base_;
  Standbys* standbys_;
  CommitPosition required_;
  Commits commits_;
};

}  // namespace waybill::storage
