#include "storage/events/leases.hpp"

#include <algorithm>

#include "storage/blocking/connection.hpp"
#include "storage/sql/leases.sql.hpp"

namespace waybill::storage {
namespace {

template <typename Rows>
HeldShards held_shards(const Rows& rows) {
  HeldShards shards;
  for (const auto& row : rows)
    shards.emplace(row.shard, HeldShard{static_cast<std::uint64_t>(row.epoch), row.orphaned});
  return shards;
}

}  // namespace

ServerLeases::ServerLeases(const std::string& url, const Guid& worker, std::string name, Duration lease)
    : session_(std::make_unique<blocking::Connection>(url, "waybill leases", lease_limits)),
      worker_(worker),
      name_(std::move(name)),
      lease_(lease) {
  session_->listen("waybill_leases");
}

ServerLeases::~ServerLeases() = default;

bool ServerLeases::enter() {
  // The advisory lock comes first, because earlier releases take a registered worker without it for lost.
  if (!session_->run(sql::leases::HoldName{.worker = worker_}).front().is_held) return false;
  session_->run(
      sql::leases::RegisterWorker{.worker = worker_, .name = name_, .lease = format_duration(lease_)});
  return true;
}

void ServerLeases::free_lost(std::optional<Duration> kept_after_lease) {
  const auto limit = kept_after_lease ? std::optional(format_duration(*kept_after_lease)) : std::nullopt;
  const sql::leases::HasLost has_lost{.worker = worker_, .kept_after_lease = limit};
  if (!session_->run(has_lost).front().has_lost) return;
  session_->run(sql::leases::FreeLost{.worker = worker_, .kept_after_lease = limit});
}

HeldShards ServerLeases::renew(Duration lag) {
  const Duration stored_lag = std::clamp<Duration>(lag, Duration::zero(), std::chrono::days(30));
  return held_shards(session_->run(sql::leases::Renew{.worker = worker_,
                                                      .name = name_,
                                                      .lease = format_duration(lease_),
                                                      .lag = format_duration(stored_lag)}));
}

std::size_t ServerLeases::fair_share() {
  const auto counted = session_->run(sql::leases::Census{}).front().alive;
  const auto alive = static_cast<std::size_t>(std::max<std::int64_t>(counted, 1));
  return (shard_count + alive - 1) / alive;
}

HeldShards ServerLeases::take(std::size_t limit, bool of_lost) {
  return held_shards(session_->run(
      sql::leases::Take{.worker = worker_, .limit = static_cast<std::int64_t>(limit), .take_lost = of_lost}));
}

void ServerLeases::release(const std::vector<std::int16_t>& shards) {
  const std::vector<std::int64_t> numbers(shards.begin(), shards.end());
  session_->run(sql::leases::Release{.worker = worker_, .shards = numbers});
}

void ServerLeases::leave() { session_->run(sql::leases::Leave{.worker = worker_}); }

bool ServerLeases::notified() { return !session_->notifications().empty(); }

int ServerLeases::socket() const { return session_->socket(); }

}  // namespace waybill::storage
