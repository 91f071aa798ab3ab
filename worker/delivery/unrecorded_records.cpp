#include "worker/delivery/unrecorded_records.hpp"

#include <cstddef>
#include <map>

#include "base/check.hpp"
#include "base/thread/mutex.hpp"

namespace waybill::worker {

struct UnrecordedRecords::State {
  mutable Mutex mutex;
  std::map<RecordName, std::size_t> counts GUARDED_BY(mutex);
  bool any_recorded GUARDED_BY(mutex) = false;  // a count is zero
};

UnrecordedRecords::UnrecordedRecords() : state_(std::make_shared<State>()) {}

std::shared_ptr<const void> UnrecordedRecords::hold(const RecordName& record) {
  {
    const Lock lock(state_->mutex);
    ++state_->counts[record];
  }
  const auto release = [state = state_, record](const void* /*unused*/) {
    const Lock lock(state->mutex);
    const auto found = state->counts.find(record);
    if (!check(found != state->counts.end() && found->second > 0, "a record is released once for each hold"))
      return;
    state->any_recorded = --found->second == 0 || state->any_recorded;
  };
  return {static_cast<const void*>(state_.get()), release};
}

void UnrecordedRecords::forget_recorded() {
  const Lock lock(state_->mutex);
  if (!std::exchange(state_->any_recorded, false)) return;
  std::erase_if(state_->counts, [](const auto& each) { return each.second == 0; });
}

bool UnrecordedRecords::contains(const RecordName& record) const {
  const Lock lock(state_->mutex);
  return state_->counts.contains(record);
}

bool UnrecordedRecords::contains_any_of(const Guid& business) const {
  const Lock lock(state_->mutex);
  const auto first = state_->counts.lower_bound({business, Guid()});
  return first != state_->counts.end() && first->first.first == business;
}

}  // namespace waybill::worker
