#include "worker/events/watermarks.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace waybill::worker {
namespace {

constexpr Duration pass_over_after = std::chrono::milliseconds(100);

}  // namespace

void Watermarks::add(std::int16_t shard, bool orphaned) {
  low_.emplace(shard, 0);
  orphans_.erase(shard);
  if (orphaned) orphans_.emplace(shard, Orphans{});
  for (const auto& [event, its_shard] : in_flight_) {
    if (its_shard == shard) earlier_[shard].insert(event);
  }
}

void Watermarks::reconnected() {
  for (auto& [shard, low] : low_) low = 0;
  known_ = 0;
  next_low_ = 0;
  return_to_ = none;
  running_.clear();
  separated_.clear();
  candidate_.reset();
}

void Watermarks::remove(std::int16_t shard) {
  low_.erase(shard);
  earlier_.erase(shard);
  std::erase_if(separated_, [&](const auto& entry) { return entry.second.shard == shard; });
}

void Watermarks::separate(const Guid& business, std::int16_t shard, Time read_until) {
  separated_.emplace(business, Separated{shard, low_.at(shard), read_until});
}

std::vector<Guid> Watermarks::separated() const {
  std::vector<Guid> businesses;
  businesses.reserve(separated_.size());
  for (const auto& [business, separated] : separated_) businesses.push_back(business);
  return businesses;
}

void Watermarks::leave_out(std::set<std::int16_t> shards, std::set<Guid> businesses) {
  left_out_ = std::move(shards);
  for (const auto& [shard, events] : earlier_) left_out_.insert(shard);
  left_out_businesses_ = std::move(businesses);
}

bool Watermarks::is_left_out(const Guid& business, const Separated& separated) const {
  return left_out_.contains(separated.shard) || left_out_businesses_.contains(business);
}

std::vector<storage::Watermark> Watermarks::all() const {
  std::vector<storage::Watermark> marks;
  marks.reserve(low_.size() + separated_.size());
  for (const auto& [shard, low] : low_) {
    if (!left_out_.contains(shard)) marks.push_back({shard, low});
  }
  for (const auto& [business, separated] : separated_) {
    if (!is_left_out(business, separated)) marks.push_back({separated.shard, separated.low, business});
  }
  return marks;
}

std::vector<storage::EventKey> Watermarks::in_flight() const {
  std::vector<storage::EventKey> keys;
  if (in_flight_.empty()) return keys;
  std::map<std::int16_t, std::uint64_t> lows;  // the lowest of each shard
  std::uint64_t lowest = UINT64_MAX;
  for (const storage::Watermark& mark : all()) {
    std::uint64_t& low = lows.emplace(mark.shard, mark.low).first->second;
    low = std::min(low, mark.low);
    lowest = std::min(lowest, low);
  }
  if (lows.empty()) return keys;
  for (auto entry = in_flight_.upper_bound({lowest, Time::max()}); entry != in_flight_.end(); ++entry) {
    const auto low = lows.find(entry->second);
    if (low != lows.end() && entry->first.id > low->second) keys.push_back(entry->first);
  }
  return keys;
}

bool Watermarks::wants_xid() const { return candidate_ && !candidate_->xid && candidate_->last_id > known_; }

bool Watermarks::any_in_flight(std::int16_t shard) const {
  return std::ranges::any_of(in_flight_, [&](const auto& entry) { return entry.second == shard; });
}

std::vector<storage::PendingEvent> Watermarks::take(storage::Scan scan, std::size_t shard_limit,
                                                    std::size_t business_limit) {
  learn(scan);
  if (has_missed()) {
    go_back();
    return {};
  }
  std::vector<storage::PendingEvent> events = std::move(scan.events);
  std::map<std::int16_t, Part> shards;
  std::map<Guid, Part> businesses;
  const std::size_t known = in_flight_.size();
  for (storage::PendingEvent& event : events) {
    in_flight_.emplace_hint(in_flight_.end(), event.key(), event.shard);  // most are newer than all others
    event.orphan = is_orphan(event, scan.last_id);
    const auto separated = separated_.find(event.business_id);
    Part& part = separated == separated_.end() ? shards[event.shard] : businesses[event.business_id];
    if (++part.events == 1 && separated != separated_.end()) separated->second.read_until = event.at;
    part.last_id = event.id;
  }
  check(in_flight_.size() == known + events.size(), "a scan leaves out the events in flight");
  advance(shards, shard_limit, businesses, business_limit);
  return events;
}

Time Watermarks::read_until(Time otherwise) const {
  for (const auto& [business, separated] : separated_) otherwise = std::min(otherwise, separated.read_until);
  return otherwise;
}

void Watermarks::learn(const storage::Scan& scan) {
  forget_ended(scan);
  resolve_candidate(scan);
  next_low_ = std::min(known_, return_to_);
  for (const auto& [xid, running] : running_) {
    if (scan.began_at - running.found_at < pass_over_after) next_low_ = std::min(next_low_, running.low);
  }
}

/// Removes the transactions that are over. The scan began at next_low_ or below, so it may have missed events
/// of those that it had passed over.
void Watermarks::forget_ended(const storage::Scan& scan) {
  return_to_ = none;
  std::erase_if(running_, [&](const auto& entry) {
    const auto& [xid, running] = entry;
    if (std::ranges::binary_search(scan.running, xid)) return false;
    if (running.low < next_low_) return_to_ = std::min(return_to_, running.low);
    return true;
  });
}

/// Raises known_ if the snapshot lists all running transactions before X. One that is new in the list began
/// after the previous value of known_ was read.
void Watermarks::resolve_candidate(const storage::Scan& scan) {
  if (candidate_ && !candidate_->xid) candidate_->xid = scan.xid;
  if (candidate_ && candidate_->xid) {
    const std::uint64_t xid = *candidate_->xid;
    if (scan.xmax < xid) return;
    for (const std::uint64_t running : scan.running) {
      if (running < xid) running_.try_emplace(running, Running{known_, scan.began_at});
    }
    known_ = std::max(known_, candidate_->last_id);
  }
  candidate_ = Candidate{scan.last_id, std::nullopt};
}

/// Leaves the events of a scan to the next one, which begins at return_to_ or below. Later events of the
/// records that the missed transaction changed must not come before its own.
void Watermarks::go_back() {
  cut_off_.clear();
  for (auto& [shard, low] : low_) low = std::min(low, return_to_);
  for (auto& [business, separated] : separated_) separated.low = std::min(separated.low, return_to_);
}

/// Advances the watermarks that the scan read: those of parts that reached the limit to their last event.
void Watermarks::advance(const std::map<std::int16_t, Part>& shards, std::size_t shard_limit,
                         const std::map<Guid, Part>& businesses, std::size_t business_limit) {
  cut_off_.clear();
  for (auto& [shard, low] : low_) {
    if (left_out_.contains(shard)) continue;
    const auto part = shards.find(shard);
    const bool is_cut_off = part != shards.end() && part->second.events >= shard_limit;
    if (is_cut_off) cut_off_.push_back(shard);
    low = is_cut_off ? std::min(next_low_, part->second.last_id) : next_low_;
    check(low <= known_, "no watermark is above the numbers whose transactions are known");
  }
  for (auto entry = separated_.begin(); entry != separated_.end();) {
    auto& [business, separated] = *entry;
    const auto part = businesses.find(business);
    if (is_left_out(business, separated)) {
      ++entry;
    } else if (part != businesses.end() && part->second.events >= business_limit) {
      separated.low = std::min(next_low_, part->second.last_id);
      ++entry;
    } else {
      entry = separated_.erase(entry);  // was read up to next_low_, and the shard's watermark is not above it
    }
  }
}

bool Watermarks::is_orphan(const storage::PendingEvent& event, std::uint64_t last_id) {
  const auto found = orphans_.find(event.shard);
  if (found == orphans_.end()) return false;
  Orphans& orphans = found->second;
  if (!orphans.last_id) orphans.last_id = last_id;
  if (event.id > *orphans.last_id) {
    // A separated business can still have earlier events.
    if (separated_.empty()) orphans_.erase(found);
    return false;
  }
  return ++orphans.count[event.business_id] <= max_orphans;
}

bool Watermarks::settled(std::span<const storage::EventKey> events) {
  bool reads_again = false;
  for (const storage::EventKey& key : events) {
    const auto found = in_flight_.find(key);
    if (found == in_flight_.end()) continue;
    const auto earlier = earlier_.find(found->second);
    in_flight_.erase(found);
    if (earlier == earlier_.end()) continue;
    earlier->second.erase(key);
    if (!earlier->second.empty()) continue;
    earlier_.erase(earlier);
    reads_again = true;
  }
  return reads_again;
}

}  // namespace waybill::worker
