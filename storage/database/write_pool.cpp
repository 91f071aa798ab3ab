#include "storage/database/write_pool.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/pause.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage::pq {
namespace {

/// Returns the number of connections reserved for callers without a business; 0 in a pool of one.
std::size_t reserved_of(std::size_t size) { return size > 1 ? 1 : 0; }
/// Returns the maximum for one business: all but the reserved connection and one for other businesses.
std::size_t share_of(std::size_t size) { return size > 3 ? size - 2 : 1; }
/// Returns the number of connections that bulk work of all businesses can use.
std::size_t bulk_places_of(std::size_t size) { return std::max<std::size_t>(size / 2, 1); }

// A statement that waits for a locked table keeps its connection for this long while others want one.
constexpr auto stall_time = std::chrono::milliseconds(50);

StatementError table_locked() { return {"another session has locked a table of the statement", "55P03", ""}; }

/// Adds the outcome of a commit. If the connection broke, the server may have committed.
void note(Commits* commits, const Outcome& outcome, const WriteSession& session) {
  if (commits == nullptr) return;
  commits->add({.position = outcome.position.value_or(CommitPosition()),
                .is_unclear = outcome.error && !session.is_open()});
}

class OpenTransaction final : public Transaction {
 public:
  OpenTransaction(WritePool::Lease session, Commits* commits)
      : session_(std::move(session)), commits_(commits) {}

  asio::awaitable<Rows> run(const Statement& statement, Params params) override {
    check();
    WritePool& pool = *session_.get_deleter().pool();
    failed_ = true;
    auto trial = pool.begin_statement(statement.name);
    session_->add(statement, params);
    auto outcome = co_await session_->flush();
    pool.end_statement(trial, statement.name, outcome);
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

  asio::awaitable<void> roll_back() override {
    if (!session_) throw std::logic_error("the transaction has ended");
    if (!session_->is_open()) throw DatabaseUnavailable("the connection broke");
    co_await session_->roll_back();
    session_.reset();
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

void WritePool::Releaser::operator()(WriteSession* session) {
  pool_->release(*session, holder_, std::move(place_), std::move(kept_));
}

WritePool::WritePool(asio::io_context& io, const ChannelOptions& options, int size, Duration wait_limit,
                     CancelTableWaits cancel)
    : io_(io),
      cancel_(options.lock_timeout > Duration::zero() ? std::move(cancel) : CancelTableWaits()),
      locked_(std::max<std::size_t>(static_cast<std::size_t>(size) / 3, 1)),
      timer_(io),
      queue_(std::make_shared<ConnectionQueue<WriteSession>>(
          io, ConnectionQueue<WriteSession>::Options{.wait_limit = wait_limit,
                                                     .share = share_of(static_cast<std::size_t>(size)),
                                                     .reserved = reserved_of(static_cast<std::size_t>(size)),
                                                     .description = "write connection"})),
      places_(bulk_places_of(static_cast<std::size_t>(size))),
      bulk_(std::make_shared<ConnectionQueue<Place>>(
          io, ConnectionQueue<Place>::Options{.wait_limit = wait_limit,
                                              .share = std::max<std::size_t>(places_.size() - 1, 1),
                                              .description = "write connection for bulk work"})),
      shared_(io) {
  for (int i = 0; i < size; ++i)
    queue_->add(*sessions_.emplace_back(std::make_unique<WriteSession>(io, options)));
  for (Place& place : places_) bulk_->add(place);
}

asio::awaitable<WritePool::Lease> WritePool::acquire(Guid holder, bool is_bulk) {
  BulkPlace place;
  if (is_bulk) place = co_await take_bulk_place(holder);
  WriteSession* const session = co_await queue_->take(holder);
  Lease lease(session, Releaser(shared_from_this(), holder, std::move(place)));
  ++leases_;
  watch();
  co_await lease->ensure_open();
  co_return std::move(lease);
}

asio::awaitable<WritePool::BulkPlace> WritePool::take_bulk_place(Guid holder) {
  Place* const place = co_await bulk_->take(holder);
  co_return BulkPlace(place, [queue = bulk_, place, holder](void*) { queue->give_back(*place, holder); });
}

asio::awaitable<Rows> WritePool::write(const Statement& statement, const Params& params, const Cause& cause,
                                       Commits* commits) {
  return send(statement, params, cause, commits, Kind::patient);
}

asio::awaitable<Rows> WritePool::send(const Statement& statement, const Params& params, const Cause& cause,
                                      Commits* commits, Kind kind) {
  for (;;) {
    std::optional<Trial> trial;
    if (!locked_.empty()) trial.emplace(co_await wait_for_trial(statement.name));
    const auto session = co_await acquire(cause.business, cause.is_bulk);
    // Others may have met the lock while this caller waited for a connection.
    if (!trial && locked_.holds(statement.name)) continue;
    const auto attempt = [&] {
      session->begin(cause.json);
      if (kind != Kind::patient) session->limit_lock_waits();
      if (kind == Kind::drawing) session->commit_without_flush();
      session->add(statement, params);
      session->commit();
      if (commits != nullptr) session->ask_position();
      return session->flush();
    };
    auto outcome = co_await attempt();
    if (outcome.repeat_after && session->is_open()) {
      co_await session->roll_back();
      co_await pause(*outcome.repeat_after);
      if (session->is_open()) outcome = co_await attempt();
    }
    if (outcome.is_table_locked && locked_.hold(statement.name, std::chrono::steady_clock::now())) continue;
    note(commits, outcome, *session);
    if (outcome.is_table_locked) throw table_locked();
    if (trial && !outcome.is_lock_conflict) trial->succeeded();
    if (outcome.error) std::rethrow_exception(outcome.error);
    co_return std::move(outcome.rows);
  }
}

/// Waits until the statement is not held, or until the caller is the one that tries it.
asio::awaitable<WritePool::Trial> WritePool::wait_for_trial(std::string_view statement) {
  const auto self = shared_from_this();
  for (;; co_await pause(LockedWrites::trial_pause)) {
    if (shut_down_) throw DatabaseUnavailable("shutting down");
    switch (locked_.admit(statement, std::chrono::steady_clock::now())) {
      case LockedWrites::Admission::free:
        co_return Trial();
      case LockedWrites::Admission::trial:
        co_return Trial(self, statement);
      case LockedWrites::Admission::wait:
        break;
      case LockedWrites::Admission::refuse:
        throw table_locked();
    }
  }
}

WritePool::Trial WritePool::begin_statement(std::string_view statement) {
  if (locked_.empty()) return {};
  switch (locked_.admit(statement, std::chrono::steady_clock::now())) {
    case LockedWrites::Admission::free:
      return {};
    case LockedWrites::Admission::trial:
      return {shared_from_this(), statement};
    default:
      throw table_locked();
  }
}

void WritePool::end_statement(Trial& trial, std::string_view statement, const Outcome& outcome) {
  if (outcome.is_table_locked) {
    locked_.hold(statement, std::chrono::steady_clock::now());
    throw table_locked();
  }
  if (!outcome.is_lock_conflict) trial.succeeded();
}

/// Looks for stalled statements while connections are in use.
void WritePool::watch() {
  if (!cancel_ || std::exchange(is_watched_, true)) return;
  timer_.expires_after(stall_time);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->shut_down_) return;
    self->is_watched_ = false;
    if (self->leases_ > 0) self->cancel_stalled();
  });
}

void WritePool::cancel_stalled() {
  const auto now = std::chrono::steady_clock::now();
  const Duration limit =
      queue_->has_waiting() || bulk_->has_waiting() ? Duration(stall_time) : Duration(LockedWrites::patience);
  std::vector<std::string> pids;
  for (const auto& session : sessions_) {
    if (!session->has_stalled(limit, now)) continue;
    session->expect_cancellation(true);
    pids.push_back(std::to_string(session->server_pid()));
  }
  if (pids.empty()) return watch();
  is_watched_ = true;
  asio::co_spawn(io_, cancel(shared_from_this(), std::move(pids)), asio::detached);
}

asio::awaitable<void> WritePool::cancel(std::shared_ptr<WritePool> self, std::vector<std::string> pids) {
  if (self->shut_down_) co_return;
  std::vector<int> cancelled;
  try {
    cancelled = co_await self->cancel_(std::move(pids));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the statements reach their own limits
  }
  if (self->shut_down_) co_return;
  for (const auto& session : self->sessions_) {
    if (!session->is_open() || std::ranges::find(cancelled, session->server_pid()) == cancelled.end())
      session->expect_cancellation(false);
  }
  self->is_watched_ = false;
  self->watch();
}

asio::awaitable<Rows> WritePool::write_shared(const SharedWrite& change, const Cause& cause,
                                              Commits* commits) {
  const auto self = shared_from_this();  // the turn ends after the coroutine
  SharedWrites::Request request{.change = change, .commits = commits};
  auto turn = co_await shared_.take_turn(request, cause);
  if (!request.followers.empty()) {
    co_await write_group(request, cause);
    turn.end();
  }
  if (request.error) std::rethrow_exception(request.error);
  if (request.rows) co_return *std::move(request.rows);
  co_return co_await write(change.statement, change.params, cause, commits);
}

/// Makes the changes of a group and gives each request its result. A request that gets none is made alone:
/// its change was left out, or the statement failed.
asio::awaitable<void> WritePool::write_group(SharedWrites::Request& leader, const Cause& cause) {
  std::vector<SharedWrites::Request*> group{&leader};
  for (const auto& follower : leader.followers) group.push_back(follower.request);
  std::string entries;
  for (const auto* request : group) entries.append(entries.empty() ? "[" : ",").append(request->change.entry);
  entries += ']';

  Rows rows;
  Commits commits;
  std::exception_ptr error;
  try {
    Params params;
    params.add(cause.business).add(entries);
    if (!leader.change.draw.text.empty()) params.add(co_await draw(group, cause));
    rows = co_await send(leader.change.shared, params, cause, &commits, Kind::impatient);
  } catch (const StatementError&) {  // NOLINT(bugprone-empty-catch): nothing was committed
  } catch (...) {
    error = std::current_exception();
  }
  std::map<Guid, int> made;
  for (int row = 0; row < rows.size(); ++row) made.emplace(read_column<Guid>(RowOf<Rows>{rows, row}, 0), row);
  for (auto* request : group) {
    request->error = error;
    if (request->commits != nullptr) request->commits->add(commits);
    const auto row = made.find(request->change.record);
    if (row != made.end()) request->rows = rows.slice(row->second, 1, 0);
  }
  for (auto& follower : leader.followers) shared_.complete(std::move(follower));
}

/// Draws the values that changes of a group need; nullopt if none needs one.
asio::awaitable<std::optional<std::string>> WritePool::draw(std::span<SharedWrites::Request* const> group,
                                                            const Cause& cause) {
  const auto wanted = std::ranges::count_if(group, [](const auto* one) { return one->change.needs_drawn; });
  if (wanted == 0) co_return std::nullopt;
  const auto drawn =
      co_await send(group.front()->change.draw, Params().add(cause.business).add(wanted),
                    {.business = cause.business, .is_bulk = cause.is_bulk}, nullptr, Kind::drawing);
  co_return std::string(drawn.get(0, 0));
}

asio::awaitable<std::unique_ptr<Transaction>> WritePool::begin(const Cause& cause, Commits* commits) {
  auto session = co_await acquire(cause.business, cause.is_bulk);
  // The begin is only queued here; it is sent with the first statement.
  session->begin(cause.json);
  co_return std::make_unique<OpenTransaction>(std::move(session), commits);
}

void WritePool::release(WriteSession& session, const Guid& holder, BulkPlace place,
                        std::shared_ptr<void> kept) {
  if (shut_down_) return;
  --leases_;
  session.make_free([this, &session, holder, place = std::move(place), kept = std::move(kept)]() mutable {
    queue_->give_back(session, holder);
    place.reset();
    kept.reset();
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
  shared_.shut_down();
  queue_->shut_down();
  bulk_->shut_down();
  for (const auto& session : sessions_) session->shut_down();
}

}  // namespace waybill::storage::pq
