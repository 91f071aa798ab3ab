#include "storage/pq/write_pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace waybill::storage::pq {
namespace {

/// Returns the number of connections reserved for callers without a business; 0 in a pool of one.
std::size_t reserved_of(std::size_t size) { return size > 1 ? 1 : 0; }
/// Returns the maximum for one business: all but the reserved connection and one for other businesses.
std::size_t share_of(std::size_t size) { return size > 3 ? size - 2 : 1; }

/// Adds the outcome of a commit. If the connection broke, the server may have committed.
void note(Commits* commits, const Outcome& outcome, const WriteSession& session) {
  if (commits == nullptr) return;
  if (outcome.position) commits->position = std::max(commits->position, *outcome.position);
  if (outcome.error && !session.is_open()) commits->is_unclear = true;
}

class OpenTransaction final : public Transaction {
 public:
  OpenTransaction(WritePool::Lease session, Commits* commits)
      : session_(std::move(session)), commits_(commits) {}

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
    if (commits_ != nullptr) session_->ask_position();
    const auto outcome = co_await session_->flush();
    note(commits_, outcome, *session_);
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
  Commits* commits_;
  bool failed_ = false;
};

}  // namespace

void WritePool::Releaser::operator()(WriteSession* session) const { pool_->release(*session, holder_); }

WritePool::WritePool(asio::io_context& io, const ChannelOptions& options, int size, Duration wait_limit)
    : queue_(std::make_shared<ConnectionQueue<WriteSession>>(
          io, ConnectionQueue<WriteSession>::Options{.wait_limit = wait_limit,
                                                     .share = share_of(static_cast<std::size_t>(size)),
                                                     .reserved = reserved_of(static_cast<std::size_t>(size)),
                                                     .description = "write connection"})) {
  for (int i = 0; i < size; ++i)
    queue_->add(*sessions_.emplace_back(std::make_unique<WriteSession>(io, options)));
}

asio::awaitable<WritePool::Lease> WritePool::acquire(Guid holder) {
  Lease lease(co_await queue_->take(holder), Releaser(shared_from_this(), holder));
  co_await lease->ensure_open();
  co_return std::move(lease);
}

asio::awaitable<Rows> WritePool::write(const Statement& statement, const Params& params, const Cause& cause,
                                       Commits* commits) {
  const auto session = co_await acquire(cause.business);
  auto send = [&] {
    session->begin(cause.json);
    session->add(statement, params);
    session->commit();
    if (commits != nullptr) session->ask_position();
    return session->flush();
  };
  auto outcome = co_await send();
  if (outcome.stale && session->is_open()) {
    co_await session->roll_back();
    if (session->is_open()) outcome = co_await send();
  }
  note(commits, outcome, *session);
  if (outcome.error) std::rethrow_exception(outcome.error);
  co_return std::move(outcome.rows);
}

asio::awaitable<std::unique_ptr<Transaction>> WritePool::begin(const Cause& cause, Commits* commits) {
  auto session = co_await acquire(cause.business);
  // Sent with the first statement.
  session->begin(cause.json);
  co_return std::make_unique<OpenTransaction>(std::move(session), commits);
}

void WritePool::release(WriteSession& session, const Guid& holder) {
  if (shut_down_) return;
  session.make_free([this, &session, holder] { queue_->give_back(session, holder); });
}

SteadyTime WritePool::last_answer() const {
  auto latest = SteadyTime::min();
  for (const auto& session : sessions_) latest = std::max(latest, session->last_answer());
  return latest;
}

void WritePool::shut_down() {
  shut_down_ = true;
  queue_->shut_down();
  for (const auto& session : sessions_) session->shut_down();
}

}  // namespace waybill::storage::pq
