#include "worker/events/watermarks.hpp"

#include <algorithm>
#include <utility>

namespace waybill::worker {

void Watermarks::add(std::int16_t shard, bool orphaned) {
  low_.emplace(shard, 0);
  orphans_.erase(shard);
  if (orphaned) orphans_.emplace(shard, Orphans{});
}

void Watermarks::reconnected() {
  for (auto& [shard, low] : low_) low = 0;
  complete_ = 0;
  candidate_.reset();
}

void Watermarks::remove(std::int16_t shard) { low_.erase(shard); }

std::vector<storage::ShardWatermark> Watermarks::all() const {
  std::vector<storage::ShardWatermark> marks;
  marks.reserve(low_.size());
  for (const auto& [shard, low] : low_) {
    if (!left_out_.contains(shard)) marks.push_back({shard, low});
  }
  return marks;
}

std::vector<storage::EventKey> Watermarks::in_flight() const {
  std::vector<storage::EventKey> keys;
  if (low_.empty()) return keys;
  const std::uint64_t lowest =
      std::ranges::min_element(low_, {}, [](const auto& mark) { return mark.second; })->second;
  for (auto entry = in_flight_.upper_bound({lowest, Time::max()}); entry != in_flight_.end(); ++entry) {
    const auto low = low_.find(entry->second);
    if (left_out_.contains(entry->second)) continue;
    if (low != low_.end() && entry->first.id > low->second) keys.push_back(entry->first);
  }
  return keys;
}

bool Watermarks::wants_xid() const {
  return candidate_ && !candidate_->xid && candidate_->last_id > complete_;
}

bool Watermarks::any_in_flight(std::int16_t shard) const {
  return std::ranges::any_of(in_flight_, [&](const auto& entry) { return entry.second == shard; });
}

std::vector<storage::PendingEvent> Watermarks::take(storage::Scan scan, std::size_t limit) {
  std::vector<storage::PendingEvent> events = std::move(scan.events);
  std::map<std::int16_t, std::size_t> counts;
  std::map<std::int16_t, std::uint64_t> read_up_to;  // shards that were not read to their end
  for (storage::PendingEvent& event : events) {
    in_flight_.emplace_hint(in_flight_.end(), event.key(), event.shard);  // most are newer than all others
    event.orphan = is_orphan(event, scan.last_id);
    if (++counts[event.shard] == limit) read_up_to[event.shard] = event.id;
  }
  learn(scan);
  advance(read_up_to);
  return events;
}

void Watermarks::learn(const storage::Scan& scan) {
  if (candidate_ && !candidate_->xid) candidate_->xid = scan.xid;
  const bool has_xid = candidate_ && candidate_->xid;
  if (has_xid && scan.xmin < *candidate_->xid) return;
  if (has_xid) complete_ = std::max(complete_, candidate_->last_id);
  candidate_ = Candidate{scan.last_id, std::nullopt};
}

void Watermarks::advance(const std::map<std::int16_t, std::uint64_t>& read_up_to) {
  for (auto& [shard, low] : low_) {
    if (left_out_.contains(shard)) continue;
    const auto bound = read_up_to.find(shard);
    low = std::max(low, bound == read_up_to.end() ? complete_ : std::min(complete_, bound->second));
  }
}

bool Watermarks::is_orphan(const storage::PendingEvent& event, std::uint64_t last_id) {
  const auto found = orphans_.find(event.shard);
  if (found == orphans_.end()) return false;
  Orphans& orphans = found->second;
  if (!orphans.last_id) orphans.last_id = last_id;
  if (event.id > *orphans.last_id) {
    orphans_.erase(found);
    return false;
  }
  return ++orphans.count[event.business_id] <= max_orphans;
}

void Watermarks::settled(std::span<const storage::EventKey> events) {
  for (const storage::EventKey& key : events) in_flight_.erase(key);
}

}  // namespace waybill::worker
