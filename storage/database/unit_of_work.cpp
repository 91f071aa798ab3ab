#include "storage/database/unit_of_work.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/pause.hpp"
#include "storage/database/write_pool.hpp"

namespace waybill::storage {

namespace {

// A server that does not answer must not hold back the answer to a request.
constexpr auto longest_rollback = std::chrono::seconds(1);

/// The transactions that were left to be rolled back and are not yet. Used on the thread of the pool.
class Rollbacks : public std::enable_shared_from_this<Rollbacks> {
 public:
  /// The caller destroys the result after the rollback.
  std::shared_ptr<void> add() {
    ++count_;
    return {this, [its = shared_from_this()](void*) {
              if (--its->count_ == 0 && its->waiting_ != nullptr) its->waiting_->cancel();
            }};
  }

  asio::awaitable<void> wait() {
    if (count_ == 0) co_return;
    asio::steady_timer timer(co_await asio::this_coro::executor, longest_rollback);
    const Waiting waiting(waiting_, timer);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }

 private:
  struct Waiting {
    Waiting(asio::steady_timer*& place, asio::steady_timer& timer) : place_(place) { place_ = &timer; }
    ~Waiting() { place_ = nullptr; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    asio::steady_timer*& place_;
  };

  int count_ = 0;
  asio::steady_timer* waiting_ = nullptr;
};

}  // namespace

/// The transaction and its connection.
class UnitOfWork::State {
 public:
  State(Database& base, Opening opening) : base_(base), opening_(std::move(opening)) {}

  Database& base() const { return base_; }
  bool is_open() const { return session_ != nullptr; }
  bool was_begun() const { return was_begun_; }
  std::optional<CommitPosition> position() const { return position_; }

  asio::awaitable<void> open(Guid business, bool is_bulk) {
    if (session_) {
      check();
      co_return;
    }
    co_await rollbacks_->wait();  // this transaction takes the same locks
    was_begun_ = true;
    session_ = co_await writes_of(base_).acquire(business, is_bulk);
    session_->begin({});
    session_->add(opening_.statement, opening_.params);
    try {
      opening_.check(co_await flush());
    } catch (...) {
      leave();
      throw;
    }
  }

  /// Runs one statement behind its own savepoint. Repeats it once if its plan was outdated or it lost a
  /// deadlock.
  asio::awaitable<Rows> run_alone(Read read, std::optional<std::string> cause) {
    check();
    auto& pool = *session_.get_deleter().pool();
    for (bool repeated = false;; repeated = true) {
      auto trial = pool.begin_statement(read.statement.name);
      session_->save();
      if (cause) session_->set_cause(*cause);
      if (read.text.empty()) {
        session_->add(read.statement, read.params, read.format);
      } else {
        session_->add_text(read.statement.name, read.text, read.params, read.format);
      }
      session_->keep();
      auto outcome = co_await session_->flush();
      if (outcome.error && session_->is_open()) session_->undo();
      pool.end_statement(trial, read.statement.name, outcome);
      if (!outcome.error) co_return std::move(outcome.rows);
      if (!outcome.repeat_after || repeated || !session_->is_open()) std::rethrow_exception(outcome.error);
      co_await pause(*outcome.repeat_after);
      check();
    }
  }

  /// Sends the queued statements and returns the rows.
  asio::awaitable<Rows> flush() {
    auto outcome = co_await session_->flush();
    if (outcome.error) std::rethrow_exception(outcome.error);
    co_return std::move(outcome.rows);
  }

  asio::awaitable<Rows> run(const Statement& statement, const Params& params) {
    check();
    auto& pool = *session_.get_deleter().pool();
    auto trial = pool.begin_statement(statement.name);
    session_->add(statement, params);
    auto outcome = co_await session_->flush();
    pool.end_statement(trial, statement.name, outcome);
    if (outcome.error) std::rethrow_exception(outcome.error);
    co_return std::move(outcome.rows);
  }

  void begin_part(const std::string& cause) {
    session_->save();
    session_->set_cause(cause);
    ++open_parts_;
  }

  void keep_part() {
    check();
    session_->keep();
    --open_parts_;
    is_used_ = true;
  }

  void undo_part() {
    --open_parts_;
    if (session_ && session_->is_open()) session_->undo();
    if (is_unused()) leave();
  }

  /// Like `undo_part`, but returns after the rollback of a transaction that ends.
  asio::awaitable<void> roll_back_part() {
    check();
    --open_parts_;
    if (!is_unused()) {
      session_->undo();
      co_return;
    }
    co_await end_if_unused();
  }

  void mark_used() { is_used_ = true; }

  /// Ends a transaction without writes, so that it occupies no connection. Returns after the rollback,
  /// because the next transaction takes the same locks.
  asio::awaitable<void> end_if_unused() {
    if (!is_unused()) co_return;
    co_await session_->roll_back();
    session_.reset();
  }

  asio::awaitable<void> roll_back() {
    leave();
    co_await rollbacks_->wait();
  }

  asio::awaitable<void> commit() {
    if (!session_) co_return;
    check();
    session_->commit();
    session_->ask_position();
    const auto outcome = co_await session_->flush();
    session_.reset();
    if (outcome.error) std::rethrow_exception(outcome.error);
    position_ = outcome.position;
  }

 private:
  /// Frees the connection, whose transaction is then rolled back.
  void leave() {
    if (!session_) return;
    session_.get_deleter().keep_until_free(rollbacks_->add());
    session_.reset();
  }
  void check() const {
    if (!session_) throw std::logic_error("the transaction has ended");
    if (!session_->is_open()) throw DatabaseUnavailable("the connection broke");
  }
  /// False for a broken connection, which is kept, so that no other transaction begins.
  bool is_unused() const { return !is_used_ && open_parts_ == 0 && session_ && session_->is_open(); }

  Database& base_;
  Opening opening_;
  pq::WritePool::Lease session_;
  std::shared_ptr<Rollbacks> rollbacks_ = std::make_shared<Rollbacks>();
  int open_parts_ = 0;
  bool is_used_ = false;
  bool was_begun_ = false;
  std::optional<CommitPosition> position_;
};

/// An inner Transaction: a savepoint.
class UnitOfWork::Part final : public Transaction {
 public:
  Part(State& state, const std::string& cause) : state_(state) { state_.begin_part(cause); }
  ~Part() override {
    if (!is_over_) state_.undo_part();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  asio::awaitable<Rows> run(const Statement& statement, Params params) override {
    check();
    failed_ = true;
    auto rows = co_await state_.run(statement, params);
    failed_ = false;
    co_return rows;
  }

  asio::awaitable<void> commit() override {
    check();
    state_.keep_part();
    is_over_ = true;
    co_return;
  }

  asio::awaitable<void> roll_back() override {
    if (is_over_) throw std::logic_error("the transaction has ended");
    is_over_ = true;
    co_await state_.roll_back_part();
  }

 private:
  void check() const {
    if (is_over_) throw std::logic_error("the transaction has ended");
    if (failed_) throw StatementError("the transaction has failed", "25P02", "");
  }

  State& state_;
  bool failed_ = false;
  bool is_over_ = false;
};

UnitOfWork::UnitOfWork(Database& base, Opening opening)
    : state_(std::make_unique<State>(base, std::move(opening))) {}

UnitOfWork::~UnitOfWork() = default;

asio::awaitable<Rows> UnitOfWork::run_read(Read read) {
  if (!state_->is_open()) return state_->base().run_read(std::move(read));
  return state_->run_alone(std::move(read), {});
}

asio::awaitable<Rows> UnitOfWork::write(const Statement& statement, Params params, Cause cause) {
  co_await state_->open(cause.business, cause.is_bulk);
  std::exception_ptr error;
  try {
    auto rows = co_await state_->run_alone({.statement = statement, .params = std::move(params)},
                                           std::move(cause.json));
    state_->mark_used();
    co_return rows;
  } catch (...) {
    error = std::current_exception();
  }
  co_await state_->end_if_unused();
  std::rethrow_exception(error);
}

asio::awaitable<Rows> UnitOfWork::write_shared(SharedWrite change, Cause cause) {
  co_return co_await write(change.statement, std::move(change.params), std::move(cause));
}

asio::awaitable<std::unique_ptr<Transaction>> UnitOfWork::begin(Cause cause) {
  co_await state_->open(cause.business, cause.is_bulk);
  co_return std::make_unique<Part>(*state_, cause.json);
}

asio::awaitable<bool> UnitOfWork::reachable() { return state_->base().reachable(); }

bool UnitOfWork::was_begun() const { return state_->was_begun(); }

std::optional<CommitPosition> UnitOfWork::position() const { return state_->position(); }

asio::awaitable<void> UnitOfWork::roll_back() { return state_->roll_back(); }

asio::awaitable<void> UnitOfWork::commit() { return state_->commit(); }

}  // namespace waybill::storage
