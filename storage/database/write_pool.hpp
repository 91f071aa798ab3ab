#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "storage/database/connection_queue.hpp"
#include "storage/database/database.hpp"
#include "storage/database/locked_writes.hpp"
#include "storage/database/shared_writes.hpp"
#include "storage/database/write_session.hpp"
#include "storage/pq/channel.hpp"

namespace waybill::storage::pq {

/// The exclusive connections. A caller waits up to `wait_limit` for a free one. A business
/// (`Cause::business`) can use all but two, and one is reserved for callers without a business. Bulk work
/// (`Cause::is_bulk`) also needs one of a few places, half as many as connections. It waits up to
/// `wait_limit` for one, and a business leaves one place to others.
///
/// A statement that waits for a table which another session has locked does not keep its connection while
/// others wait for one, nor for longer than a second: the pool cancels it and holds the statement
/// (LockedWrites). A write of one statement is tried again, for about a second; then, and in a longer
/// transaction at once, it gets StatementError (55P03). Waits for locked rows are not cancelled.
class WritePool : public std::enable_shared_from_this<WritePool> {
  /// A place for bulk work, given back on destruction.
  using BulkPlace = std::shared_ptr<void>;

 public:
  class Releaser {
   public:
    Releaser() = default;
    Releaser(std::shared_ptr<WritePool> pool, const Guid& holder, BulkPlace place)
        : pool_(std::move(pool)), holder_(holder), place_(std::move(place)) {}
    void operator()(WriteSession* session);
    const std::shared_ptr<WritePool>& pool() const { return pool_; }
    /// `kept` is destroyed when the session is free: after the rollback of its transaction.
    void keep_until_free(std::shared_ptr<void> kept) { kept_ = std::move(kept); }

   private:
    std::shared_ptr<WritePool> pool_;
    Guid holder_;
    BulkPlace place_;  // null unless the work is bulk
    std::shared_ptr<void> kept_;
  };
  /// Rolls back an open transaction and frees the session on destruction.
  using Lease = std::unique_ptr<WriteSession, Releaser>;

  /// Cancels those statements of server processes that wait for locks of tables. Returns these processes.
  using CancelTableWaits = std::function<asio::awaitable<std::vector<int>>(std::vector<std::string>)>;

  /// The right to run a statement that may be held.
  class Trial {
   public:
    Trial() = default;
    Trial(std::shared_ptr<WritePool> pool, std::string_view statement)
        : pool_(std::move(pool)), statement_(statement) {}
    ~Trial() {
      if (pool_) pool_->locked_.tried(statement_, is_locked_);
    }
    Trial(Trial&&) noexcept = default;
    Trial& operator=(Trial&&) = delete;
    /// The statement got its locks.
    void succeeded() { is_locked_ = false; }

   private:
    std::shared_ptr<WritePool> pool_;  // null: the statement is not held
    std::string_view statement_;
    bool is_locked_ = true;
  };

  WritePool(asio::io_context& io, const ChannelOptions& options, int size, Duration wait_limit,
            CancelTableWaits cancel);

  /// Returns a connected session. Throws DatabaseUnavailable, or Failure (see ConnectionQueue::take).
  asio::awaitable<Lease> acquire(Guid holder, bool is_bulk);
  /// Unless `commits` is null, the outcome of the commit is added to it. The transaction must not outlive it.
  asio::awaitable<Rows> write(const Statement& statement, const Params& params, const Cause& cause,
                              Commits* commits = nullptr);
  /// See Database::write_shared.
  asio::awaitable<Rows> write_shared(const SharedWrite& change, const Cause& cause,
                                     Commits* commits = nullptr);
  asio::awaitable<std::unique_ptr<Transaction>> begin(const Cause& cause, Commits* commits = nullptr);

  /// Begins a statement of an open transaction. Throws StatementError if it is held and another transaction
  /// tries it.
  Trial begin_statement(std::string_view statement);
  /// Ends it. Throws StatementError if the pool cancelled it.
  void end_statement(Trial& trial, std::string_view statement, const Outcome& outcome);

  SteadyTime last_answer() const;
  /// All waiting callers get DatabaseUnavailable; leases may outlive this call.
  void shut_down();

 private:
  /// An impatient transaction fails after a short wait for a lock; so does a drawing one, whose commit does
  /// not wait for the disk.
  enum class Kind : std::uint8_t { patient, impatient, drawing };

  asio::awaitable<Rows> send(const Statement& statement, const Params& params, const Cause& cause,
                             Commits* commits, Kind kind);
  asio::awaitable<std::optional<std::string>> draw(std::span<SharedWrites::Request* const> group,
                                                   const Cause& cause);
  asio::awaitable<void> write_group(SharedWrites::Request& leader, const Cause& cause);
  asio::awaitable<BulkPlace> take_bulk_place(Guid holder);
  asio::awaitable<Trial> wait_for_trial(std::string_view statement);
  void watch();
  void cancel_stalled();
  static asio::awaitable<void> cancel(std::shared_ptr<WritePool> self, std::vector<std::string> pids);
  void release(WriteSession& session, const Guid& holder, BulkPlace place, std::shared_ptr<void> kept);

  struct Place {};
  asio::io_context& io_;
  const CancelTableWaits cancel_;  // null: writes wait for locks of tables as for others
  LockedWrites locked_;
  asio::steady_timer timer_;
  bool is_watched_ = false;  // by the timer, or by a cancellation under way
  std::size_t leases_ = 0;
  std::vector<std::unique_ptr<WriteSession>> sessions_;
  std::shared_ptr<ConnectionQueue<WriteSession>> queue_;
  std::vector<Place> places_;
  std::shared_ptr<ConnectionQueue<Place>> bulk_;
  SharedWrites shared_;
  bool shut_down_ = false;
};

}  // namespace waybill::storage::pq
