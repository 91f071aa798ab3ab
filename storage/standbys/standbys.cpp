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

// A standby that serves reads is behind the primary by at most the sum of these two: a standby must have
// replayed the sample before the latest one.
constexpr auto sample_interval = std::chrono::milliseconds(250);
constexpr auto sample_life = std::chrono::milliseconds(500);
// Time without reads after a fault of the standby.
constexpr auto away_time = std::chrono::seconds(1);

// libpq's message for target_session_attrs=standby.
constexpr std::string_view not_standby = "server is not in hot standby mode";

constexpr std::size_t none = static_cast<std::size_t>(-1);

}  // namespace

/// The last two samples of the primary's position on this thread.
struct Standbys::Primary {
  std::int64_t cluster = 0;
  CommitPosition latest;
  steady_clock::time_point latest_at = steady_clock::time_point::min();
  CommitPosition floor;  // the position before `latest`, if that is recent
  steady_clock::time_point floor_at{};
  bool is_being_read = false;

  bool is_older_than(Duration age, steady_clock::time_point now) const {
    return latest_at == steady_clock::time_point::min() || now - latest_at > age;
  }
  void add(const CommitPosition& position, steady_clock::time_point at) {
    const bool is_recent = !is_older_than(sample_life, at);
    floor = is_recent ? latest : position;
    floor_at = is_recent ? latest_at : at;
    latest = position;
    latest_at = at;
  }
};

/// One standby, with a shared connection for short reads and some that a long read has to itself.
class Standbys::Host {
 public:
  using LongQueue = pq::ConnectionQueue<pq::StandbyConnection>;

  Host(asio::io_context& io, pq::Server server, const Database::Options& options, std::size_t index,
       StandbyLog& log)
      : server_(std::move(server)), index_(index), log_(log) {
    const pq::ChannelOptions channel{.url = server_.connection,
                                     .application_name = options.application_name,
                                     .read_only = true,
                                     .statement_timeout = options.statement_timeout,
                                     .connect_timeout = options.connect_timeout,
                                     .is_optional = true};
    shared_ = std::make_shared<pq::StandbyConnection>(io, channel);
    queue_ = std::make_shared<LongQueue>(
        io, LongQueue::Options{.wait_limit = options.wait_limit,
                               .share = static_cast<std::size_t>(std::max(options.long_connections - 1, 1)),
                               .description = "connection for long reads"});
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
  std::optional<Observable> fault(const Primary& primary, const CommitPosition& required) {
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
    if (const auto fault = fault_of(*state, primary, required)) {
      shared_->refresh();
      keep_away(*fault, {});
      return fault;
    }
    log_.in_use(index_, server_.name);
    return std::nullopt;
  }

  asio::awaitable<void> run(pq::StandbyRead& read, std::optional<Guid> alone_for) {
    if (alone_for) co_return co_await run_alone(read, *alone_for);
    co_await shared_->run(read);
    if (read.fault) keep_away(*read.fault, shared_->last_failure());
  }

 private:
  static std::optional<Observable> fault_of(const pq::StandbyState& state, const Primary& primary,
                                            const CommitPosition& required) {
    if (state.cluster != primary.cluster) return Observable::standby_foreign;
    if (!state.is_standby) return Observable::standby_promoted;
    if (state.replayed >= std::max(required, primary.floor)) return std::nullopt;
    const bool had_time = state.checked_at - primary.floor_at >= sample_interval;
    return state.replayed < primary.floor && had_time ? Observable::standby_lagging
                                                      : Observable::standby_behind;
  }

  asio::awaitable<void> run_alone(pq::StandbyRead& read, const Guid& business) {
    const auto queue = queue_;
    pq::StandbyConnection* connection = nullptr;
    try {
      connection = co_await queue->take(business);
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
    queue->give_back(*connection, business);
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
    : primary_(primary), known_(std::make_unique<Primary>()) {
  for (auto& server : pq::standbys_of(options.url))
    hosts_.push_back(std::make_unique<Host>(io, std::move(server), options.database, hosts_.size(), log));
}

Standbys::~Standbys() = default;

/// Reads the primary's position unless the latest sample is recent. Returns false if no recent one is known.
asio::awaitable<bool> Standbys::refresh_primary() {
  Primary& known = *known_;
  const auto now = steady_clock::now();
  if (!known.is_older_than(sample_interval, now)) co_return true;
  if (known.is_being_read) co_return !known.is_older_than(sample_life, now);
  known.is_being_read = true;
  bool is_known = false;
  try {
    const auto rows = co_await primary_.read(sql::standbys::Primary{});
    const auto row = rows.front();
    if (!row.is_noted) co_await primary_.write(sql::standbys::NoteTimeline{}, {});
    if (const auto position = CommitPosition::from_sql(row.timeline, row.lsn)) {
      known.cluster = row.cluster;
      known.add(*position, now);
      is_known = true;
    }
  } catch (const DatabaseUnavailable&) {  // NOLINT(bugprone-empty-catch): the read itself reports it
  } catch (const StatementError& error) {
    observe(Observable::statement_failed,
            {{"statement", sql::standbys::Primary::statement.name}, {"error", error.what()}});
  }
  known.is_being_read = false;
  co_return is_known;
}

/// Returns the index of a standby that can serve a read; `none` if there is none.
std::size_t Standbys::find(const CommitPosition& required) {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const std::size_t index = (next_ + i) % hosts_.size();
    const auto fault = hosts_[index]->fault(*known_, required);
    if (!fault) {
      next_ = index + 1;
      return index;
    }
    observe(*fault);
  }
  return none;
}

asio::awaitable<std::optional<StandbyRows>> Standbys::read(const Read& read, CommitPosition required) {
  if (co_await refresh_primary()) {
    const auto least = std::max(required, known_->floor);
    const auto index = find(least);
    if (index != none) {
      pq::StandbyRead offloaded{.statement = read.statement,
                                .text = read.text,
                                .params = read.params,
                                .format = read.format,
                                .required = least};
      co_await hosts_[index]->run(offloaded, read.alone_for);
      if (offloaded.error) std::rethrow_exception(offloaded.error);
      if (!offloaded.fault) {
        observe(Observable::standby_read);
        co_return StandbyRows{std::move(offloaded.rows), offloaded.position};
      }
      observe(*offloaded.fault);
    }
  }
  observe(Observable::primary_read);
  co_return std::nullopt;
}

asio::awaitable<std::optional<StandbyTarget>> Standbys::choose(CommitPosition required) {
  if (co_await refresh_primary()) {
    const auto least = std::max(required, known_->floor);
    const auto index = find(least);
    if (index != none) co_return StandbyTarget{hosts_[index]->server().connection, known_->cluster, least};
  }
  observe(Observable::primary_read);
  co_return std::nullopt;
}

}  // namespace waybill::storage
