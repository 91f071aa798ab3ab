#include "storage/database/write_session.hpp"

#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>

#include "storage/sql/standbys.sql.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage::pq {
namespace {

constexpr Statement begin_statement{"transaction.begin", "begin"};
constexpr Statement cause_statement{"transaction.cause", "select set_config('waybill.cause', $1, true)"};
constexpr Statement lock_limit_statement{"transaction.lock_limit",
                                         "select set_config('lock_timeout', '250ms', true)"};
constexpr Statement no_flush_statement{"transaction.no_flush",
                                       "select set_config('synchronous_commit', 'off', true)"};
constexpr Statement save_statement{"transaction.save", "savepoint part"};
constexpr Statement keep_statement{"transaction.keep", "release savepoint part"};
constexpr Statement undo_statement{"transaction.undo", "rollback to savepoint part"};
constexpr Statement commit_statement{"transaction.commit", "commit"};
constexpr Statement rollback_statement{"transaction.rollback", "rollback"};

// Gives the other transaction time to take the lock.
constexpr std::chrono::milliseconds deadlock_pause{50};

// The addresses of these variables are the channel's owner pointers, which identify the kind of a step.
char step_control;
char step_statement;
char step_commit;
char step_position;
char step_rollback;

using Position = sql::standbys::CommitPosition;

std::optional<CommitPosition> position_in(const Rows& rows) {
  const auto row = TypedRows<Position>(rows).front();
  return CommitPosition::from_sql(row.timeline, row.lsn);
}

}  // namespace

WriteSession::WriteSession(asio::io_context& io, ChannelOptions options)
    : channel_(std::make_shared<Channel>(io, std::move(options), *this)), io_(io) {}

WriteSession::~WriteSession() { channel_->detach(); }

asio::awaitable<void> WriteSession::ensure_open() {
  if (channel_->alive()) co_return;
  if (!channel_->may_open()) throw DatabaseUnavailable(channel_->last_failure());
  channel_->open();
  co_await wait();
  if (!channel_->is_open()) throw DatabaseUnavailable(channel_->last_failure());
}

void WriteSession::begin(const std::string& cause) {
  in_transaction_ = true;
  channel_->query(begin_statement, {}, &step_control);
  if (!cause.empty()) set_cause(cause);
}

void WriteSession::set_cause(const std::string& cause) {
  channel_->query(cause_statement, Params().add(cause), &step_control);
}

void WriteSession::limit_lock_waits() { channel_->query(lock_limit_statement, {}, &step_control); }

void WriteSession::commit_without_flush() { channel_->query(no_flush_statement, {}, &step_control); }

void WriteSession::add(const Statement& statement, const Params& params, Format format) {
  channel_->query(statement, params, &step_statement, format);
}

void WriteSession::add_text(std::string_view name, std::string_view text, const Params& params,
                            Format format) {
  channel_->query_text(name, text, params, &step_statement, format);
}

void WriteSession::save() { channel_->query(save_statement, {}, &step_control); }

void WriteSession::keep() { channel_->query(keep_statement, {}, &step_control); }

void WriteSession::undo() {
  channel_->query(undo_statement, {}, &step_control);
  keep();
}

void WriteSession::commit() { channel_->query(commit_statement, {}, &step_commit); }

void WriteSession::ask_position() { channel_->query(Position::statement, {}, &step_position); }

asio::awaitable<Outcome> WriteSession::flush() {
  outcome_ = {};
  ++units_due_;
  channel_->sync();
  if (units_due_ > 0) co_await wait();
  is_cancellation_expected_ = false;
  co_return std::exchange(outcome_, {});
}

void WriteSession::received(void* owner, Answer answer) {
  if (owner == &step_position) {
    // A failure here does not concern the commit before it.
    if (answer.kind == Answer::Kind::rows) outcome_.position = position_in(answer.rows);
    return;
  }
  switch (answer.kind) {
    case Answer::Kind::rows:
      if (owner == &step_statement) outcome_.rows = std::move(answer.rows);
      if (owner == &step_commit || owner == &step_rollback) in_transaction_ = false;
      return;
    case Answer::Kind::aborted:
      // The failed step has set the actual error.
      if (!outcome_.error) outcome_.error = std::make_exception_ptr(StatementError("not run", "25P02", ""));
      return;
    case Answer::Kind::stale:
      outcome_.repeat_after = Duration::zero();
      [[fallthrough]];
    case Answer::Kind::failed:
      if (is_cancellation_expected_ && is_canceled(*answer.error)) outcome_.is_table_locked = true;
      if (is_lock_conflict(*answer.error)) outcome_.is_lock_conflict = true;
      if (is_deadlock(*answer.error)) outcome_.repeat_after = deadlock_pause;
      if (!outcome_.error) outcome_.error = std::make_exception_ptr(*answer.error);
  }
}

void WriteSession::synced() {
  --units_due_;
  if (on_free_) {
    // The rollback was refused, so the session is unusable.
    if (in_transaction_) channel_->close();
    in_transaction_ = false;
    return std::exchange(on_free_, {})();
  }
  resume();
}

void WriteSession::lost(const std::vector<void*>&, const std::string& reason) {
  units_due_ = 0;
  in_transaction_ = false;
  outcome_.error = std::make_exception_ptr(DatabaseUnavailable(reason));
  if (on_free_) return std::exchange(on_free_, {})();
  resume();
}

void WriteSession::make_free(std::function<void()> done) {
  // The caller left during a round trip, so its answers have no recipient.
  if (units_due_ > 0) {
    channel_->close();
    units_due_ = 0;
    in_transaction_ = false;
  }
  if (!in_transaction_ || !channel_->is_open()) return done();
  on_free_ = std::move(done);
  send_rollback();
}

asio::awaitable<void> WriteSession::roll_back() {
  send_rollback();
  if (units_due_ > 0) co_await wait();
}

void WriteSession::send_rollback() {
  ++units_due_;
  channel_->query(rollback_statement, {}, &step_rollback);
  channel_->sync();
}

void WriteSession::shut_down() {
  channel_->detach();
  on_free_ = nullptr;
  units_due_ = 0;
  outcome_.error = std::make_exception_ptr(DatabaseUnavailable("shutting down"));
  if (!waiter_) return;
  asio::post(io_, [handler = std::move(*waiter_)]() mutable { handler(); });
  waiter_.reset();
}

asio::awaitable<void> WriteSession::wait() {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this](Handler handler) { waiter_.emplace(std::move(handler)); }, asio::use_awaitable);
}

void WriteSession::resume() {
  if (!waiter_) return;
  Handler handler = std::move(*waiter_);
  waiter_.reset();
  handler();
}

}  // namespace waybill::storage::pq
