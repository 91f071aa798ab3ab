#include "storage/standbys/standbys.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "storage/database/connection_queue.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/sql/standbys.sql.hpp"
#include "storage/standbys/standby_connection.hpp"
#include "storage/standbys/standby_fault.hpp"

namespace waybill::storage {
namespace {

using std::chrono::steady_clock;

constexpr auto sample_interval = std::chrono::milliseconds(250);
// Time without reads after a fault of the standby.
constexpr auto away_time = std::chrono::seconds(1);

// libpq's message for target_session_attrs=standby.
constexpr std::string_view not_standby = "server is not in hot standby mode";

}  // namespace

/// One standby, with a shared connection for short reads and some that a long read has to itself.
class Standbys::Host {
 public:
  using LongQueue = pq::ConnectionQueue<pq::StandbyConnection>;

  Host(asio::io_context& io, pq::Server server, const Database::Options& options, std::size_t index,
       StandbyLog& log)
      : server_(std::move(server)), index_(index), log_(log) {
    pq::ChannelOptions channel{.url = server_.connection,
                               .application_name = options.application_name,
                               .read_only = true,
                               .statement_timeout = options.statement_timeout,
                               .connect_timeout = options.connect_timeout,
                               .lock_timeout = options.lock_timeout,
                               .is_optional = true};
    shared_ = std::make_shared<pq::StandbyConnection>(io, channel);
    queue_ = std::make_shared<LongQueue>(
        io, LongQueue::Options{.wait_limit = options.wait_limit,
                               .share = static_cast<std::size_t>(std::max(options.long_connections - 1, 1)),
                               .description = "connection for long reads"});
    channel.plans_each_call = true;  // as the long reads of Database
    for (int i = 0; i < options.long_connections; ++i)
      queue_->add(*long_.emplace_back(std::make_shared<pq::StandbyConnection>(io, channel)));
  }

  ~Host() {
    queue_->shut_down();
    shared_->shut_down();
    for (const auto& connection : long_) connection->shut_down();
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const pq::Server& server() const { return server_; }

  /// nullopt if the standby can serve a read that requires `required`.
  std::optional<Observable> fault(const PrimarySamples::Sample& floor, const CommitPosition& required) {
    const auto now = steady_clock::now();
    if (now < away_until_) return away_for_;
    const auto* const state = shared_->state();
    if (state == nullptr) {
      shared_->refresh();
      const std::string& failure = shared_->last_failure();
      const auto reason = failure.find(not_standby) == std::string::npos ? Observable::standby_unreachable
                                                                         : Observable::standby_promoted;
      if (!failure.empty()) log_.passed_over(index_, server_.name, reason, failure);
      return reason;
    }
    if (const auto fault = fault_of(*state, floor, required)) {
      shared_->refresh();
      keep_away(*fault, {});
      return fault;
    }
    log_.in_use(index_, server_.name);
    return std::nullopt;
  }

  asio::awaitable<void> run(pq::StandbyRead& read, bool is_long) {
    if (is_long) co_return co_await run_alone(read);
    co_await shared_->run(read);
    if (read.fault) keep_away(*read.fault, shared_->last_failure());
  }

 private:
  static std::optional<Observable> fault_of(const pq::StandbyState& state,
                                            const PrimarySamples::Sample& floor,
                                            const CommitPosition& required) {
    if (state.cluster != floor.cluster) return Observable::standby_foreign;
    if (!state.is_standby) return Observable::standby_promoted;
    if (state.replayed >= std::max(required, floor.position)) return std::nullopt;
    const bool had_time = state.checked_at - floor.at >= sample_interval;
    return state.replayed < floor.position && had_time ? Observable::standby_lagging
                                                       : Observable::standby_behind;
  }

  asio::awaitable<void> run_alone(pq::StandbyRead& read) {
    const auto queue = queue_;
    pq::StandbyConnection* connection = nullptr;
    try {
      connection = co_await queue->take(read.business);
    } catch (const DatabaseUnavailable&) {
      read.fault = Observable::standby_failed;
      co_return;
    }
    if (connection->state() != nullptr) {
      co_await connection->run(read);
      if (read.fault) keep_away(*read.fault, connection->last_failure());
    } else {
      connection->refresh();
      read.fault = Observable::standby_unreachable;
    }
    queue->give_back(*connection, read.business);
  }

  void keep_away(Observable fault, std::string_view detail) {
    if (!keeps_reads_away(fault)) return;
    away_until_ = steady_clock::now() + away_time;
    away_for_ = fault;
    log_.passed_over(index_, server_.name, fault, detail);
    if (fault == Observable::standby_promoted) close();
  }

  /// Closes all connections. A promoted server may be the primary now, whose connections are limited.
  void close() {
    shared_->close_soon(not_standby);
    for (const auto& connection : long_) connection->close_soon(not_standby);
  }

  const pq::Server server_;
  const std::size_t index_;
  StandbyLog& log_;
  std::shared_ptr<pq::StandbyConnection> shared_;
  std::vector<std::shared_ptr<pq::StandbyConnection>> long_;
  std::shared_ptr<LongQueue> queue_;  // the free connections of long_
  steady_clock::time_point away_until_{};
  Observable away_for_ = Observable::standby_unreachable;
};

Standbys::Standbys(asio::io_context& io, Database& primary, const Options& options, StandbyLog& log)
    : primary_(primary) {
  for (auto& server : pq::standbys_of(options.url))
    hosts_.push_back(std::make_unique<Host>(io, std::move(server), options.database, hosts_.size(), log));
}

Standbys::~Standbys() = default;

/// Reads the primary's position unless the latest sample is recent. Returns false if no recent one is known.
asio::awaitable<bool> Standbys::refresh_samples() {
  const auto now = steady_clock::now();
  if (samples_.has_since(sample_interval, now)) co_return true;
  if (is_sampling_) co_return samples_.has_since(PrimarySamples::longest_lag, now);
  is_sampling_ = true;
  try {
    const auto rows = co_await primary_.read(sql::standbys::Primary{});
    const auto row = rows.front();
    if (!row.is_noted) co_await primary_.write(sql::standbys::NoteTimeline{}, {});
    if (const auto position = CommitPosition::from_sql(row.timeline, row.lsn))
      samples_.add({.cluster = row.cluster, .position = *position, .at = now});
  } catch (const DatabaseUnavailable&) {  // NOLINT(bugprone-empty-catch): the read itself reports it
  } catch (const StatementError& error) {
    observe(Observable::statement_failed,
            {{"statement", sql::standbys::Primary::statement.name}, {"error", error.what()}});
  }
  is_sampling_ = false;
  co_return samples_.has_since(PrimarySamples::longest_lag, steady_clock::now());
}

/// Returns a standby that can serve a read, and what it must have replayed; nullopt if there is none.
asio::awaitable<std::optional<Standbys::Choice>> Standbys::find(CommitPosition required) {
  if (!co_await refresh_samples()) co_return std::nullopt;
  const PrimarySamples::Sample& floor = samples_.floor(steady_clock::now());
  const CommitPosition least = std::max(required, floor.position);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const std::size_t index = (next_ + i) % hosts_.size();
    const auto fault = hosts_[index]->fault(floor, least);
    if (!fault) {
      next_ = index + 1;
      co_return Choice{.host = hosts_[index].get(), .cluster = floor.cluster, .least = least};
    }
    observe(*fault);
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<StandbyRows>> Standbys::read(const Read& read, CommitPosition required) {
  if (const auto chosen = co_await find(required)) {
    pq::StandbyRead offloaded{.statement = read.statement,
                              .text = read.text,
                              .params = read.params,
                              .format = read.format,
                              .business = read.business,
                              .required = chosen->least};
    co_await chosen->host->run(offloaded, read.is_long);
    if (offloaded.error) std::rethrow_exception(offloaded.error);
    if (!offloaded.fault) {
      observe(Observable::standby_read);
      co_return StandbyRows{std::move(offloaded.rows), offloaded.position};
    }
    observe(*offloaded.fault);
  }
  observe(Observable::primary_read);
  co_return std::nullopt;
}

asio::awaitable<std::optional<StandbyTarget>> Standbys::choose(CommitPosition required) {
  if (const auto chosen = co_await find(required))
    co_return StandbyTarget{chosen->host->server().connection, chosen->cluster, chosen->least};
  observe(Observable::primary_read);
  co_return std::nullopt;
}

}  // namespace waybill::storage
