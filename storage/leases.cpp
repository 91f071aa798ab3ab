#include "storage/leases.hpp"

#include <algorithm>

#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

HeldShards held_shards(const Rows& rows) {
  HeldShards shards;
  for_each_row(rows, [&](const RowView& row) {
    shards.emplace(row.number<std::int16_t>(0), HeldShard{row.number<std::uint64_t>(1), row.boolean(2)});
  });
  return shards;
}

}  // namespace

bool Leases::enter() {
  // The lock comes first, because a registered worker without its lock counts as lost.
  if (!RowView(session_.run(sql::leases::hold_name, worker_.to_string()), 0).boolean(0)) return false;
  session_.run(sql::leases::register_worker, worker_.to_string(), name_, format_duration(lease_));
  return true;
}

void Leases::free_lost(std::optional<Duration> silence) {
  const auto limit = silence ? std::optional(format_duration(*silence)) : std::nullopt;
  session_.run(sql::leases::free_lost, worker_.to_string(), limit);
}

HeldShards Leases::renew(Duration lag) {
  return held_shards(
      session_.run(sql::leases::renew, worker_.to_string(), name_, format_duration(lease_),
                   format_duration(std::clamp<Duration>(lag, Duration::zero(), std::chrono::days(30)))));
}

std::size_t Leases::fair_share() {
  const Rows rows = session_.run(sql::leases::census);
  const std::size_t alive = std::max<std::size_t>(RowView(rows, 0).number<std::size_t>(0), 1);
  return (shard_count + alive - 1) / alive;
}

HeldShards Leases::take(std::size_t limit, bool of_lost) {
  return held_shards(session_.run(sql::leases::take, worker_.to_string(), limit, of_lost));
}

void Leases::release(const std::vector<std::int16_t>& shards) {
  const std::vector<std::int64_t> numbers(shards.begin(), shards.end());
  session_.run(sql::leases::release, worker_.to_string(), array_literal(numbers));
}

void Leases::set_idle(bool idle) { session_.run(sql::leases::set_idle, worker_.to_string(), idle); }

void Leases::leave() { session_.run(sql::leases::leave, worker_.to_string()); }

}  // namespace waybill::storage
