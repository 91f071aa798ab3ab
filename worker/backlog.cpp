#include "worker/backlog.hpp"

#include <algorithm>

namespace waybill::worker {

void Backlog::add(std::span<const storage::PendingEvent> events) {
  for (const storage::PendingEvent& event : events) insert(event);
}

void Backlog::insert(const storage::PendingEvent& event) {
  const Guid business = event.business_id;
  Queue& queue = queues_[business];
  // From the end: only what was committed late belongs before others.
  auto place = queue.waiting.end();
  while (place != queue.waiting.begin() && std::prev(place)->id > event.id) --place;
  queue.waiting.insert(place, event);
  ++waiting_;
  give_turn(business, queue);
}

void Backlog::give_turn(const Guid& business, Queue& queue) {
  if (queue.has_turn || queue.waiting.empty() || queue.taken >= share_) return;
  queue.has_turn = true;
  turns_.push_back(business);
}

std::vector<storage::PendingEvent> Backlog::take(std::size_t most) {
  std::vector<storage::PendingEvent> events;
  while (events.size() < most && !turns_.empty()) {
    const Guid business = turns_.front();
    turns_.pop_front();
    Queue& queue = queues_.at(business);
    queue.has_turn = false;
    if (!queue.waiting.empty()) {
      events.push_back(queue.waiting.front());
      queue.waiting.pop_front();
      --waiting_;
      ++queue.taken;
      taken_.emplace(events.back().key(), business);
    }
    give_turn(business, queue);
  }
  return events;
}

void Backlog::release(const storage::EventKey& event) {
  const auto taken = taken_.find(event);
  if (taken == taken_.end()) return;
  const auto found = queues_.find(taken->second);
  taken_.erase(taken);
  Queue& queue = found->second;
  --queue.taken;
  give_turn(found->first, queue);
  if (queue.taken == 0 && !queue.has_turn) queues_.erase(found);
}

void Backlog::give_back(std::span<const storage::PendingEvent> events) {
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
  waiting_ -= forgotten.size();
  std::erase_if(turns_, [&](const Guid& business) {
    Queue& queue = queues_.at(business);
    queue.has_turn = !queue.waiting.empty();
    return !queue.has_turn;
  });
  std::erase_if(queues_,
                [](const auto& entry) { return entry.second.waiting.empty() && entry.second.taken == 0; });
  return forgotten;
}

std::vector<storage::EventKey> Backlog::forget(std::int16_t shard) {
  return forget_if([&](const storage::PendingEvent& event) { return event.shard == shard; });
}

std::vector<storage::EventKey> Backlog::forget() {
  return forget_if([](const storage::PendingEvent&) { return true; });
}

Time Backlog::oldest(Time otherwise) const {
  Time oldest = otherwise;
  for (const auto& [business, queue] : queues_) {
    if (!queue.waiting.empty()) oldest = std::min(oldest, queue.waiting.front().at);
  }
  return oldest;
}

}  // namespace waybill::worker
