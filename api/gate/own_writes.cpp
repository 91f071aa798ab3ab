#include "api/gate/own_writes.hpp"

#include <algorithm>
#include <functional>

namespace waybill::api {
namespace {

// The server may commit after the connection broke, until its statement timeout (10 s) ends the transaction.
constexpr auto unclear_time = std::chrono::seconds(15);

std::size_t slot_of(const Guid& token) { return std::hash<Guid>()(token) % OwnWrites::slots; }

}  // namespace

void OwnWrites::add(const Guid& token, const storage::Commits& commits, SteadyTime now) {
  const Lock lock(mutex_);
  Slot& slot = slots_[slot_of(token)];
  slot.position = std::max(slot.position, commits.position);
  if (commits.is_unclear) slot.unclear_until = now + unclear_time;
}

std::optional<storage::CommitPosition> OwnWrites::required(const Guid& token, SteadyTime now) const {
  const Lock lock(mutex_);
  const Slot& slot = slots_[slot_of(token)];
  if (now < slot.unclear_until) return std::nullopt;
  return slot.position;
}

}  // namespace waybill::api
