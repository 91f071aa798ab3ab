#include "worker/events/backlog.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace waybill::worker {

void Backlog::add(std::span<const storage::PendingEvent> events) {
  for (const storage::PendingEvent& event : events) insert(event);
}

void Backlog::insert(const storage::PendingEvent& event) {
  const Guid business = event.business_id;
  Queue& queue = queues_[business];
  // Searches from the end, because only an event that was committed late belongs before others.
  auto position = queue.waiting.end();
  while (position != queue.waiting.begin() && std::prev(position)->id > event.id) --position;
  queue.waiting.insert(position, event);
  ++waiting_;
  give_turn(business, queue);
}

void Backlog::give_turn(const Guid& business, Queue& queue) {
  if (queue.has_turn || queue.waiting.empty()) return;
  queue.has_turn = true;
  turns_.push_back(business);
}

std::vector<storage::PendingEvent> Backlog::take(std::size_t limit, const IsReady& is_ready) {
  std::vector<storage::PendingEvent> events;
  std::size_t passed_over = 0;  // consecutive businesses at their share, or with an event that is not ready
  while (events.size() < limit && passed_over < turns_.size()) {
    const Guid business = turns_.front();
    turns_.pop_front();
    const auto found = queues_.find(business);
    require(found != queues_.end() && !found->second.waiting.empty(),
            "a business with a turn has waiting events");
    Queue& queue = found->second;
    queue.has_turn = false;
    if (shares_.may_take(business) && is_ready(queue.waiting.front())) {
      passed_over = 0;
      shares_.take(business);
      events.push_back(queue.waiting.front());
      queue.waiting.pop_front();
      --waiting_;
      taken_.emplace(events.back().key(), Taken{business, events.back().at});
    } else {
      ++passed_over;
    }
    give_turn(business, queue);
    if (queue.waiting.empty()) queues_.erase(found);
  }
  return events;
}

void Backlog::release(const storage::EventKey& event) {
  const auto taken = taken_.find(event);
  if (taken == taken_.end()) return;
  shares_.release(taken->second.business);
  taken_.erase(taken);
}

void Backlog::put_back(std::span<const storage::PendingEvent> events) {
  for (const storage::PendingEvent& event : events) {
    insert(event);
    release(event.key());
  }
}

void Backlog::settled(std::span<const storage::EventKey> events) {
  for (const storage::EventKey& event : events) release(event);
}

template <typename Drop>
std::vector<storage::EventKey> Backlog::forget_if(Drop drop) {
  std::vector<storage::EventKey> forgotten;
  for (auto& [business, queue] : queues_) {
    std::erase_if(queue.waiting, [&](const storage::PendingEvent& event) {
      if (!drop(event)) return false;
      forgotten.push_back(event.key());
      return true;
    });
  }
  require(waiting_ >= forgotten.size(), "the number of waiting events includes those that are forgotten");
  waiting_ -= forgotten.size();
  std::erase_if(turns_, [&](const Guid& business) { return queues_.at(business).waiting.empty(); });
  std::erase_if(queues_, [](const auto& entry) { return entry.second.waiting.empty(); });
  return forgotten;
}

std::vector<storage::EventKey> Backlog::forget(std::int16_t shard) {
  return forget_if([&](const storage::PendingEvent& event) { return event.shard == shard; });
}

std::vector<storage::EventKey> Backlog::forget() {
  return forget_if([](const storage::PendingEvent&) { return true; });
}

std::size_t Backlog::waiting_of(const Guid& business) const {
  const auto found = queues_.find(business);
  return found == queues_.end() ? 0 : found->second.waiting.size();
}

std::map<std::int16_t, std::size_t> Backlog::waiting_of(std::span<const Guid> businesses) const {
  std::map<std::int16_t, std::size_t> counts;
  for (const Guid& business : businesses) {
    const auto found = queues_.find(business);
    if (found != queues_.end() && !found->second.waiting.empty())
      counts[found->second.waiting.front().shard] += found->second.waiting.size();
  }
  return counts;
}

Time Backlog::oldest_taken(Time otherwise) const {
  Time oldest = otherwise;
  for (const auto& [event, taken] : taken_) oldest = std::min(oldest, taken.at);
  return oldest;
}

Time Backlog::oldest(Time otherwise) const {
  Time oldest = otherwise;
  for (const auto& [business, queue] : queues_) {
    if (!queue.waiting.empty()) oldest = std::min(oldest, queue.waiting.front().at);
  }
  return oldest;
}

std::vector<storage::PendingEvent> Backlog::crowding(std::int16_t shard, std::size_t least) const {
  std::vector<storage::PendingEvent> first;
  for (const auto& [business, queue] : queues_) {
    if (queue.waiting.size() >= least && queue.waiting.front().shard == shard)
      first.push_back(queue.waiting.front());
  }
  return first;
}

}  // namespace waybill::worker
