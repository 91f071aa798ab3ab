#include "worker/queue/due_floors.hpp"

#include <algorithm>
#include <functional>

namespace waybill::worker {
namespace {

constexpr std::size_t busy = 25;  // claimed runs; to read the rows of fewer takes less time than a floor
constexpr std::size_t max_floors = 1000;
constexpr std::size_t max_counted = 20000;  // destinations
constexpr auto quick = std::chrono::milliseconds(2);
constexpr auto quick_each = std::chrono::microseconds(20);  // of a destination
constexpr auto cheap = std::chrono::milliseconds(10);
constexpr int pause_factor = 20;

}  // namespace

void DueFloors::claimed(std::span<const storage::ClaimedRun> runs) {
  const Lock lock(mutex_);
  for (const storage::ClaimedRun& run : runs) {
    if (destinations_.size() == max_counted)
      std::erase_if(destinations_, [](const auto& entry) { return entry.second.claimed < busy; });
    const std::string& name = run.run.key.destination;
    if (destinations_.size() < max_counted || destinations_.contains(name)) ++destinations_[name].claimed;
  }
}

storage::QueueFloors DueFloors::get() const {
  const Lock lock(mutex_);
  using Entry = decltype(destinations_)::value_type;
  std::vector<const Entry*> chosen;
  for (const Entry& entry : destinations_)
    if (entry.second.claimed >= busy) chosen.push_back(&entry);
  if (chosen.size() > max_floors) {
    std::ranges::nth_element(chosen, chosen.begin() + max_floors, std::greater{},
                             [](const Entry* entry) { return entry->second.claimed; });
    chosen.resize(max_floors);
  }
  storage::QueueFloors floors;
  for (const Entry* entry : chosen) {
    floors.destinations.push_back(entry->first);
    floors.times.push_back(entry->second.floor);
  }
  return floors;
}

void DueFloors::raise(const storage::QueueFloors& old, const std::vector<Time>& times) {
  const Lock lock(mutex_);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto found = destinations_.find(old.destinations[i]);
    if (found != destinations_.end() && found->second.floor == old.times[i]) found->second.floor = times[i];
  }
}

storage::QueueFloors DueFloors::to_check(SteadyTime now) const {
  {
    const Lock lock(mutex_);
    if (now < next_check_) return {};
  }
  return get();
}

void DueFloors::checked(const storage::QueueFloors& floors, const storage::QueueFloors& below,
                        SteadyTime began, SteadyTime ended) {
  const Lock lock(mutex_);
  for (std::size_t i = 0; i < below.times.size(); ++i) {
    const auto found = destinations_.find(below.destinations[i]);
    if (found != destinations_.end()) found->second.floor = std::min(found->second.floor, below.times[i]);
  }
  last_check_ = ended - began;
  if (below.times.empty() && last_check_ < quick + floors.times.size() * quick_each) destinations_.clear();
  next_check_ = ended + pause_factor * last_check_;
}

void DueFloors::clear() {
  const Lock lock(mutex_);
  destinations_.clear();
}

void DueFloors::clear_if_cheap() {
  const Lock lock(mutex_);
  if (last_check_ < cheap) destinations_.clear();
}

}  // namespace waybill::worker
