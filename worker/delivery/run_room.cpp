#include "worker/delivery/run_room.hpp"

#include <algorithm>

namespace waybill::worker {

bool RunRoom::may_enter(const Guid& business) const {
  return runs_.may_take(business) && memory_.may_take(business);
}

std::vector<Guid> RunRoom::full_businesses() const {
  std::vector<Guid> full = runs_.beyond_share();
  for (const Guid& business : memory_.beyond_share()) {
    if (std::ranges::find(full, business) == full.end()) full.push_back(business);
  }
  return full;
}

}  // namespace waybill::worker
