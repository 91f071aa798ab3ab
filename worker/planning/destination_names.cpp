#include "worker/planning/destination_names.hpp"

#include <functional>

#include "domain/workflows/pacing.hpp"

namespace waybill::worker {
namespace {

/// The shortest time between two removals of unused names, each of which reads all of them.
constexpr Duration removal_interval = std::chrono::minutes(1);

}  // namespace

bool DestinationNames::has_place(std::string_view destination, Time now) {
  const Lock lock(mutex_);
  std::string name(destination);
  if (const auto found = last_use_.find(name); found != last_use_.end()) {
    found->second = now;
    return true;
  }
  if (last_use_.size() >= most_ && now - last_removal_ >= removal_interval) {
    std::erase_if(last_use_, [&](const auto& use) { return now - use.second > memory; });
    last_removal_ = now;
  }
  return last_use_.size() < most_ && last_use_.emplace(std::move(name), now).second;
}

std::string shared_place(std::string_view destination, const Guid& business) {
  return domain::shared_place(std::hash<std::string_view>()(destination) % domain::shared_places, business);
}

}  // namespace waybill::worker
