#include "worker/shards/surplus_shards.hpp"

namespace waybill::worker {

void SurplusShards::choose(storage::HeldShards& held, std::size_t share, Moment now) {
  const bool had_any = !shards_.empty();
  std::erase_if(shards_, [&](std::int16_t shard) { return !held.contains(shard); });
  if (held.size() <= share) shards_.clear();  // another worker has left: this worker keeps them
  while (held.size() - shards_.size() > share) {
    for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
      if (shards_.insert(entry->first).second) break;
    }
  }
  for (const std::int16_t shard : shards_) held.erase(shard);
  if (!had_any) since_ = now;
}

void SurplusShards::released(std::span<const std::int16_t> shards) {
  for (const std::int16_t shard : shards) shards_.erase(shard);
}

}  // namespace waybill::worker
