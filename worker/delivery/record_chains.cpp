#include "worker/delivery/record_chains.hpp"

#include <utility>

#include "base/check.hpp"

namespace waybill::worker {

void RecordChains::add(OpenEventPtr event) {
  require(event->ordered.has_value(), "an event in a chain has ordered runs");
  chains_[*event->ordered].push_back(std::move(event));
}

OpenEventPtr RecordChains::first(const RecordName& record) const {
  const auto found = chains_.find(record);
  return found == chains_.end() ? nullptr : found->second.front();
}

OpenEventPtr RecordChains::take_over(const RecordName& record) {
  const auto found = chains_.find(record);
  if (found == chains_.end()) return nullptr;
  std::deque<OpenEventPtr>& events = found->second;
  OpenEventPtr first = events.front();
  const bool is_awaited = events.size() > 1 || first->open.empty();
  if (first->has_open_ordered() || !is_awaited) return nullptr;
  events.pop_front();
  if (events.empty()) chains_.erase(found);
  return first;
}

std::deque<OpenEventPtr> RecordChains::take(const RecordName& record) {
  auto taken = chains_.extract(record);
  return taken ? std::move(taken.mapped()) : std::deque<OpenEventPtr>();
}

void RecordChains::drop_gone() {
  std::erase_if(chains_, [](const auto& chain) { return chain.second.front()->open.empty(); });
}

std::vector<RecordName> RecordChains::of_business(const Guid& business) const {
  std::vector<RecordName> records;
  for (const auto& [record, events] : chains_) {
    if (record.first == business) records.push_back(record);
  }
  return records;
}

}  // namespace waybill::worker
