#include "storage/pq/write_pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/observe.hpp"

namespace waybill::storage::pq {
namespace {

class OpenTransaction final : public Transaction {
 public:
  explicit OpenTransaction(WritePool::Lease session) : session_(std::move(session)) {}

  asio::awaitable<Rows> run(const Statement& statement, Params params) override {
    check();
    session_->add(statement, params);
    auto outcome = co_await session_->flush();
    failed_ = outcome.error != nullptr;
    if (failed_) std::rethrow_exception(outcome.error);
    co_return std::move(outcome.rows);
  }

  asio::awaitable<void> commit() override {
    check();
    session_->commit();
    const auto outcome = co_await session_->flush();
    session_.reset();
    if (outcome.error) std::rethrow_exception(outcome.error);
  }

 private:
  void check() const {
    if (!session_) throw std::logic_error("the transaction has ended");
    if (failed_) throw StatementError("the transaction has failed", "25P02", "");
    if (!session_->is_open()) throw DatabaseUnavailable("the connection broke");
  }

  WritePool::Lease session_;
  bool failed_ = false;
};

/// A caller's wait for a connection, as the metrics tell of it.
class Wait {
 public:
  Wait() { add_to_gauge(Gauge::database_waits, 1); }
  ~Wait() {
    add_to_gauge(Gauge::database_waits, -1);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - since_;
    record(Histogram::database_wait_seconds, waited.count());
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace

void WritePool::GiveBack::operator()(WriteSession* session) const { pool_->release(*session); }

WritePool::WritePool(asio::io_context& io, const ChannelOptions& options, int size, Duration wait_limit)
    : io_(io), wait_limit_(wait_limit), timer_(io) {
  for (int i = 0; i < size; ++i) {
    free_.push_back(sessions_.emplace_back(std::make_unique<WriteSession>(io, options)).get());
  }
}

asio::awaitable<WritePool::Lease> WritePool::acquire() {
  WriteSession* session = nullptr;
  if (free_.empty()) {
    const Wait wait;
    session = co_await wait_in_line();
  } else {
    session = std::exchange(free_.back(), nullptr);
    free_.pop_back();
  }
  Lease lease(session, GiveBack(shared_from_this()));
  co_await lease->ensure_open();
  co_return std::move(lease);
}

asio::awaitable<Rows> WritePool::write(const Statement& statement, const Params& params, const Cause& cause) {
  const auto session = co_await acquire();
  auto send = [&] {
    session->begin(cause.json);
    session->add(statement, params);
    session->commit();
    return session->flush();
  };
  auto outcome = co_await send();
  if (outcome.stale && session->is_open()) {
    co_await session->roll_back();
    if (session->is_open()) outcome = co_await send();
  }
  if (outcome.error) std::rethrow_exception(outcome.error);
  co_return std::move(outcome.rows);
}

asio::awaitable<std::unique_ptr<Transaction>> WritePool::begin(const Cause& cause) {
  auto session = co_await acquire();
  // Goes out with the first statement.
  session->begin(cause.json);
  co_return std::make_unique<OpenTransaction>(std::move(session));
}

asio::awaitable<WriteSession*> WritePool::wait_in_line() {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, WriteSession*)>(
      [this](Handler handler) {
        line_.push_back({std::move(handler), std::chrono::steady_clock::now() + wait_limit_});
        if (line_.size() == 1) watch_line();
      },
      asio::use_awaitable);
}

void WritePool::release(WriteSession& session) {
  if (shut_down_) return;
  session.make_free([this, &session] { give(session); });
}

void WritePool::give(WriteSession& session) {
  if (line_.empty()) {
    free_.push_back(&session);
  } else {
    answer_first(nullptr, &session);
  }
}

// Posted: a session is given back from inside destructors.
void WritePool::answer_first(const std::exception_ptr& error, WriteSession* session) {
  asio::post(io_, [handler = std::move(line_.front().handler), error, session]() mutable {
    handler(error, session);
  });
  line_.pop_front();
}

// One timer serves the line: its deadlines are in order.
void WritePool::watch_line() {
  timer_.expires_at(line_.front().deadline);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    const auto now = std::chrono::steady_clock::now();
    const auto late = std::make_exception_ptr(DatabaseUnavailable("no write connection became free in time"));
    while (!self->line_.empty() && self->line_.front().deadline <= now) self->answer_first(late, nullptr);
    if (!self->line_.empty()) self->watch_line();
  });
}

SteadyTime WritePool::last_answer() const {
  auto latest = SteadyTime::min();
  for (const auto& session : sessions_) latest = std::max(latest, session->last_answer());
  return latest;
}

void WritePool::shut_down() {
  shut_down_ = true;
  timer_.cancel();
  const auto error = std::make_exception_ptr(DatabaseUnavailable("shutting down"));
  while (!line_.empty()) answer_first(error, nullptr);
  for (const auto& session : sessions_) session->shut_down();
}

}  // namespace waybill::storage::pq
