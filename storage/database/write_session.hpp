#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/database/commit_position.hpp"
#include "storage/pq/channel.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage::pq {

/// The outcome of a unit. `rows` are those of the last statement added with `add` or `add_text`.
struct Outcome {
  Rows rows;
  std::exception_ptr error;  // StatementError or DatabaseUnavailable
  // Set if the unit can be sent again: an outdated plan at once, a lost deadlock after a pause.
  std::optional<Duration> repeat_after;
  std::optional<CommitPosition> position;  // set if `ask_position` was queued
  bool is_lock_conflict = false;
  bool is_table_locked = false;  // cancelled, because it waited for a table that another session has locked
};

/// An exclusive connection with one transaction at a time. It repeats nothing by itself.
class WriteSession final : public Channel::Listener {
 public:
  WriteSession(asio::io_context& io, ChannelOptions options);
  ~WriteSession() override;
  WriteSession(const WriteSession&) = delete;
  WriteSession& operator=(const WriteSession&) = delete;

  /// Connects unless connected. Throws DatabaseUnavailable.
  asio::awaitable<void> ensure_open();

  /// False after the connection broke, until `ensure_open`; its transaction is then lost.
  bool is_open() const { return channel_->is_open(); }
  SteadyTime last_answer() const { return channel_->last_answer(); }
  /// True if the server has not answered for `time`.
  bool has_stalled(Duration time, SteadyTime now) const {
    return channel_->is_open() && units_due_ > 0 && now - channel_->last_progress() >= time;
  }
  int server_pid() const { return channel_->server_pid(); }
  /// Tells whether a cancellation of the unit under way comes from this process, which does not let
  /// statements wait for locks of tables.
  void expect_cancellation(bool is_expected) { is_cancellation_expected_ = is_expected; }

  /// Queue the parts of a transaction, which `flush` sends. Only while open.
  void begin(const std::string& cause);
  void add(const Statement& statement, const Params& params, Format format = Format::text);
  void add_text(std::string_view name, std::string_view text, const Params& params, Format format);
  /// Sets the cause of the following statements of the transaction.
  void set_cause(const std::string& cause);
  /// Bounds each wait for a lock in the rest of the transaction to 250 ms.
  void limit_lock_waits();
  /// Lets the commit return before the transaction is on disk. A crash loses it only together with all later
  /// commits.
  void commit_without_flush();
  /// Nested savepoints. `keep` releases the innermost one; `undo` rolls back to it and releases it.
  void save();
  void keep();
  void undo();
  void commit();
  /// Requests a position that covers the commit. Queue it after `commit`; it costs no further round trip.
  void ask_position();

  /// Sends the queued statements and waits for all answers.
  asio::awaitable<Outcome> flush();

  /// Rolls back a transaction after a failed statement.
  asio::awaitable<void> roll_back();

  /// Makes the session usable again from any state, then calls `done`: at once, or after the rollback of an
  /// open transaction.
  void make_free(std::function<void()> done);

  /// A waiting caller gets DatabaseUnavailable.
  void shut_down();

  void opened() override { resume(); }
  void received(void* owner, Answer answer) override;
  void synced() override;
  void drained() override {}
  void lost(const std::vector<void*>& owners, const std::string& reason) override;

 private:
  using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;

  asio::awaitable<void> wait();
  void resume();
  void send_rollback();

  std::shared_ptr<Channel> channel_;
  asio::io_context& io_;
  std::optional<Handler> waiter_;
  std::function<void()> on_free_;
  Outcome outcome_;
  std::size_t units_due_ = 0;
  bool in_transaction_ = false;
  bool is_cancellation_expected_ = false;
};

}  // namespace waybill::storage::pq
