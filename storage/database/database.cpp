#include "storage/database/database.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/database/connection_queue.hpp"
#include "storage/database/locked_reads.hpp"
#include "storage/database/read_pool.hpp"
#include "storage/database/write_pool.hpp"
#include "storage/pq/read_pipeline.hpp"
#include "storage/sql/system.sql.hpp"

namespace waybill::storage {
namespace {

using std::chrono::steady_clock;

constexpr Statement ping{"database.ping", "select 1"};
constexpr auto recent = std::chrono::seconds(1);

pq::ChannelOptions channel_options(const Database::Options& options, bool read_only) {
  return {.url = options.url,
          .application_name = options.application_name,
          .read_only = read_only,
          .statement_timeout = options.statement_timeout,
          .connect_timeout = options.connect_timeout,
          .lock_timeout = options.lock_timeout};
}

/// A plan takes a millisecond at most. One for average values can read all records of a business to find the
/// few that a filter wants.
pq::ChannelOptions long_read_options(const Database::Options& options) {
  pq::ChannelOptions result = channel_options(options, true);
  result.plans_each_call = true;
  return result;
}

}  // namespace

class Database::Impl {
 public:
  Impl(asio::io_context& io, const Options& options)
      : io_(io),
        locked_(std::make_shared<pq::LockedReads>(
            io, requests_, [this](Read read) { return attempt_alone(std::move(read)); },
            [this](pq::ReadHandler handler, Read read) { resume(std::move(handler), std::move(read)); })),
        writes_(std::make_shared<pq::WritePool>(
            io, channel_options(options, false), options.write_connections, options.wait_limit,
            [this](std::vector<std::string> pids) { return cancel_table_waits(std::move(pids)); })),
        reads_(io, requests_, channel_options(options, true), options.read_connections, locked_.get()),
        long_read_queue_(std::make_shared<LongReadQueue>(
            io, LongReadQueue::Options{
                    .wait_limit = options.wait_limit,
                    .share = static_cast<std::size_t>(std::max(options.long_connections - 1, 1)),
                    .description = "connection for long reads"})) {
    for (int i = 0; i < options.long_connections; ++i) {
      long_reads_.push_back(
          std::make_shared<pq::ReadPipeline>(io, requests_, long_read_options(options), [] {}));
      long_read_queue_->add(*long_reads_.back());
    }
  }

  ~Impl() {
    locked_->shut_down();
    long_read_queue_->shut_down();
    reads_.shut_down();
    for (const auto& pipeline : long_reads_) pipeline->shut_down();
    writes_->shut_down();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  asio::awaitable<Rows> read(Read read) {
    if (!locked_->empty() && locked_->holds(read)) return locked_->wait(std::move(read));
    if (read.is_long) return read_alone(std::move(read));
    return submit(reads_, std::move(read));
  }

  bool waits_for_lock(const Read& read) const { return !locked_->empty() && locked_->holds(read); }

  bool answered_recently() const {
    const auto limit = steady_clock::now() - recent;
    return writes_->last_answer() >= limit || reads_.last_answer() >= limit;
  }

  pq::WritePool& writes() { return *writes_; }

 private:
  using LongReadQueue = pq::ConnectionQueue<pq::ReadPipeline>;

  /// A connection that one long read has to itself.
  class LongReadLease {
   public:
    LongReadLease(std::shared_ptr<LongReadQueue> queue, Guid business, pq::ReadPipeline* connection)
        : queue_(std::move(queue)), business_(business), connection_(*connection) {}
    ~LongReadLease() { queue_->give_back(connection_, business_); }
    LongReadLease(const LongReadLease&) = delete;
    LongReadLease& operator=(const LongReadLease&) = delete;
    pq::ReadPipeline& connection() const { return connection_; }

   private:
    std::shared_ptr<LongReadQueue> queue_;
    Guid business_;
    pq::ReadPipeline& connection_;
  };

  asio::awaitable<Rows> read_alone(Read read) {
    const auto locked = locked_;
    try {
      co_return co_await attempt_alone(read);
    } catch (const StatementError& error) {
      if (!is_lock_conflict(error)) throw;
    }
    co_return co_await locked->wait(std::move(read));
  }

  asio::awaitable<Rows> attempt_alone(Read read) {
    const Guid business = read.business;
    const LongReadLease lease(long_read_queue_, business, co_await long_read_queue_->take(business));
    co_return co_await submit(lease.connection(), std::move(read));
  }

  asio::awaitable<std::vector<int>> cancel_table_waits(std::vector<std::string> pids) {
    using Cancel = sql::system::CancelTableWaits;
    const Cancel cancel{.pids = pids};
    std::vector<int> cancelled;
    for (const auto& row :
         co_await typed_rows<Cancel>(read({.statement = Cancel::statement, .params = cancel.params()})))
      cancelled.push_back(row.pid);
    co_return cancelled;
  }

  /// Performs a read that has waited for a lock.
  void resume(pq::ReadHandler handler, Read read) {
    if (!read.is_long) return submit_request(reads_, std::move(handler), std::move(read));
    asio::co_spawn(io_, read_alone(std::move(read)),
                   [handler = std::move(handler)](const std::exception_ptr& error, Rows rows) mutable {
                     handler(error, std::move(rows));
                   });
  }

  template <typename Connections>
  asio::awaitable<Rows> submit(Connections& connections, Read read) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Rows)>(
        [this, &connections](pq::ReadHandler handler, Read submitted) {
          submit_request(connections, std::move(handler), std::move(submitted));
        },
        asio::use_awaitable, std::move(read));
  }

  template <typename Connections>
  void submit_request(Connections& connections, pq::ReadHandler handler, Read submitted) {
    auto& request = requests_.take();
    request.handler.emplace(std::move(handler));
    request.statement = submitted.statement;
    request.merged = submitted.merged;
    request.text = std::move(submitted.text);
    request.params = std::move(submitted.params);
    request.format = submitted.format;
    request.business = submitted.business;
    connections.submit(request);
  }

  asio::io_context& io_;
  pq::ReadRequestPool requests_;
  std::shared_ptr<pq::LockedReads> locked_;
  std::shared_ptr<pq::WritePool> writes_;
  pq::ReadPool reads_;
  std::vector<std::shared_ptr<pq::ReadPipeline>> long_reads_;
  std::shared_ptr<LongReadQueue> long_read_queue_;  // the free connections of long_reads_
};

Database::Database(asio::io_context& io, const Options& options)
    : impl_(std::make_unique<Impl>(io, options)) {}

Database::Database() = default;
Database::~Database() = default;

pq::WritePool& Database::writes_of(Database& database) { return database.impl_->writes(); }

asio::awaitable<Rows> Database::run_read(Read read) { return impl_->read(std::move(read)); }

bool Database::waits_for_lock(const Read& read) const { return impl_->waits_for_lock(read); }

asio::awaitable<Rows> Database::write(const Statement& statement, Params params, Cause cause) {
  co_return co_await impl_->writes().write(statement, params, cause);
}

asio::awaitable<Rows> Database::write_shared(SharedWrite change, Cause cause) {
  co_return co_await impl_->writes().write_shared(change, cause);
}

asio::awaitable<std::unique_ptr<Transaction>> Database::begin(Cause cause) {
  co_return co_await impl_->writes().begin(cause);
}

asio::awaitable<std::optional<StandbyTarget>> Database::standby() { co_return std::nullopt; }

std::optional<CommitPosition> Database::read_position() const { return std::nullopt; }

asio::awaitable<bool> Database::reachable() {
  if (impl_->answered_recently()) co_return true;
  try {
    co_await read(ping, {});
    co_return true;
  } catch (const std::exception&) {
    co_return false;
  }
}

}  // namespace waybill::storage
