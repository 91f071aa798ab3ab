#include "worker/timers/timer_claims.hpp"

#include <algorithm>

#include "storage/sql/timers.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::worker {
namespace {

constexpr int businesses_of_turn = 100;
constexpr std::size_t least_of_business = 2;

template <typename Rows>
TimerClaims::Batch batch_of(const Rows& rows) {
  TimerClaims::Batch batch;
  for (const auto& row : rows) {
    batch.timers.push_back({.timer = {.business_id = row.business_id,
                                      .workflow_id = row.workflow_id,
                                      .entity_id = row.entity_id,
                                      .plan = row.plan,
                                      .value = row.value,
                                      .due = row.due_at,
                                      .run_event = static_cast<std::uint64_t>(row.run_event),
                                      .depth = row.depth},
                            .was_on = row.was_on,
                            .is_deleted = row.is_deleted});
    batch.epoch = static_cast<std::uint64_t>(row.epoch);
  }
  return batch;
}

}  // namespace

TimerClaims::Batch TimerClaims::take(storage::Session& session, const std::vector<std::int16_t>& shards) {
  began_ = std::chrono::steady_clock::now();
  Batch batch = claim(session, shards);
  claimed_ = std::chrono::steady_clock::now();
  return batch;
}

TimerClaims::Batch TimerClaims::claim(storage::Session& session, const std::vector<std::int16_t>& shards) {
  was_turn_ = !was_turn_ && !crowded_.empty();
  if (was_turn_) {
    auto batch = take_in_turn(session);
    if (!batch.timers.empty()) return batch;
    was_turn_ = false;
  }
  const std::size_t share = share_.get();
  const auto rows = session.run(sql::timers::Claim{.shards = storage::binary_array(shards),
                                                   .limit_of_shard = static_cast<std::int64_t>(share)});
  std::map<std::int16_t, std::size_t> counts;
  for (const auto& row : rows) ++counts[row.shard];
  std::erase_if(crowded_, [&](const auto& each) { return counts[each.first] < share; });
  for (const auto& [shard, count] : counts) {
    if (count >= share) crowded_.try_emplace(shard);
  }
  return batch_of(rows);
}

/// Takes timers of the next businesses of the next crowded shard.
TimerClaims::Batch TimerClaims::take_in_turn(storage::Session& session) {
  auto shard = crowded_.upper_bound(last_shard_);
  if (shard == crowded_.end()) shard = crowded_.begin();
  last_shard_ = shard->first;
  std::vector<Guid> businesses;
  for (const auto& row : session.run(sql::timers::Businesses{
           .shard = shard->first, .after = shard->second, .limit = businesses_of_turn}))
    businesses.push_back(row.business_id);
  const bool is_last = businesses.size() < businesses_of_turn;
  shard->second = is_last ? Guid() : businesses.back();
  if (businesses.empty()) return {};
  return batch_of(session.run(sql::timers::ClaimInTurn{
      .shard = shard->first,
      .businesses = storage::binary_array(businesses),
      .limit_of_business =
          static_cast<std::int64_t>(std::max(share_.get() / businesses.size(), least_of_business))}));
}

void TimerClaims::worked(std::size_t done, std::size_t left, std::size_t shards) {
  if (left > 0) {
    if (!was_turn_) share_.limited_to(done / shards);
  } else if (crowded_.empty()) {
    share_.sufficed();
  } else {
    share_.used(claimed_ - began_, std::chrono::steady_clock::now() - claimed_);
  }
}

}  // namespace waybill::worker
