#include "storage/leases.hpp"

#include <algorithm>

#include "storage/blocking/connection.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

HeldShards held_shards(const pqxx::result& rows) {
  HeldShards shards;
  for (const auto& row : rows) {
    shards.emplace(row["shard"].as<std::int16_t>(),
                   HeldShard{row["epoch"].as<std::uint64_t>(), row["orphaned"].as<bool>()});
  }
  return shards;
}

}  // namespace

bool Leases::enter() {
  // The lock comes first, because a registered worker without its lock counts as lost.
  if (!session_.run(sql::leases::hold_name, worker_).at(0)["is_held"].as<bool>()) return false;
  session_.run(sql::leases::register_worker, worker_, name_, format_duration(lease_));
  return true;
}

void Leases::free_lost(std::optional<Duration> silence) {
  const auto limit = silence ? std::optional(format_duration(*silence)) : std::nullopt;
  session_.run(sql::leases::free_lost, worker_, limit);
}

HeldShards Leases::renew(Duration lag) {
  return held_shards(
      session_.run(sql::leases::renew, worker_, name_, format_duration(lease_),
                   format_duration(std::clamp<Duration>(lag, Duration::zero(), std::chrono::days(30)))));
}

std::size_t Leases::fair_share() {
  const pqxx::result rows = session_.run(sql::leases::census);
  const std::size_t alive = std::max<std::size_t>(rows.at(0)["alive"].as<std::size_t>(), 1);
  return (shard_count + alive - 1) / alive;
}

HeldShards Leases::take(std::size_t limit, bool of_lost) {
  return held_shards(session_.run(sql::leases::take, worker_, limit, of_lost));
}

void Leases::release(const std::vector<std::int16_t>& shards) {
  const std::vector<std::int64_t> numbers(shards.begin(), shards.end());
  session_.run(sql::leases::release, worker_, array_literal(numbers));
}

void Leases::leave() { session_.run(sql::leases::leave, worker_); }

}  // namespace waybill::storage
