#include "worker/queue/due_runs.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "worker/delivery/claimed_run.hpp"

namespace waybill::worker {
namespace {

constexpr Duration raise_every = std::chrono::milliseconds(200);

}  // namespace

DueRuns::DueRuns(const Options& options, const Catalogue& catalogue, WorkflowFollower& workflows,
                 Runner& runner, Preparation& preparation, DueFloors& floors, const Clock& clock)
    : options_(options),
      runner_(runner),
      preparation_(preparation),
      floors_(floors),
      clock_(clock),
      intake_(catalogue, workflows, runner, preparation, clock, options.retention) {}

bool DueRuns::note_due(std::optional<Time> due) {
  const Lock lock(mutex_);
  return (due && times_.note_due(*due)) || waits_for_room_;
}

bool DueRuns::note_room() {
  const Lock lock(mutex_);
  const std::vector<Guid> full = preparation_.full_businesses();
  const bool has_room = std::ranges::any_of(
      full_, [&](const Guid& business) { return std::ranges::find(full, business) == full.end(); });
  if (!has_room) return waits_for_room_;
  full_.clear();
  times_.note_due(Time{});
  return true;
}

bool DueRuns::claim(storage::Session& session) {
  const auto began = std::chrono::steady_clock::now();
  LookResult look{.now = clock_.now(), .next_due = {}};
  const bool was_checking = intake_.is_checking();
  auto full = begin_look(look.now, began);
  if (!full) return false;
  storage::RunStore store(session, options_.worker);
  intake_.give_back_older(look.now);
  Blocked blocked = blocked_now(std::move(*full), look.now);
  const storage::QueueFloors floors = floors_.get();
  // After runs more are likely; and with a floor, rows that are deleted may be many, and the statement would
  // read them.
  const bool may_find = has_found_ || !floors.destinations.empty() || store.has_runs();
  storage::Claim claimed;
  if (may_find && intake_.has_room()) claimed = claim_from(store, blocked, floors);
  floors_.claimed(claimed.runs);
  const std::size_t found = claimed.runs.size();
  has_found_ = found > 0;
  intake_.take_over(session, std::move(claimed));
  // Rates may have blocked destinations just now.
  std::ranges::move(intake_.blocked_destinations(look.now), std::back_inserter(blocked.destinations));
  if (may_find) {
    look.next_due = store.next_due({.within = LookTimes::look_every,
                                    .blocked_destinations = blocked.destinations,
                                    .blocked_businesses = blocked.businesses,
                                    .floors = floors});
  }
  raise_floors(store, floors, look.now);
  look.any_found = found > 0 || was_checking;
  look.left_out = was_checking || intake_.is_checking();
  look.next_unblocked = intake_.next_unblocked();
  look.next_probe = runner_.next_probe();
  if (!was_checking) pause_.looked(began, std::chrono::steady_clock::now(), found);
  const Lock lock(mutex_);
  times_.end(look);
  return look.any_found;
}

/// Begins a look if runs may be due or wait for their check, and memory has room for more. Returns the
/// businesses of which the preparation has many runs; nullopt if there is no look now.
std::optional<std::vector<Guid>> DueRuns::begin_look(Time now, std::chrono::steady_clock::time_point began) {
  const Lock lock(mutex_);
  if (!intake_.is_checking() && (!times_.is_due(now) || pause_.left(began) > Duration::zero()))
    return std::nullopt;
  waits_for_room_ = !runner_.has_room() || !preparation_.has_room();
  if (waits_for_room_) return std::nullopt;
  times_.begin();
  full_ = preparation_.full_businesses();
  return full_;
}

/// The destinations and businesses whose runs a look leaves in the queue, with the businesses `full`.
DueRuns::Blocked DueRuns::blocked_now(std::vector<Guid> full, Time now) {
  Blocked blocked{.destinations = runner_.blocked_destinations(), .businesses = runner_.blocked_businesses()};
  std::ranges::move(intake_.blocked_destinations(now), std::back_inserter(blocked.destinations));
  std::ranges::move(intake_.blocked_businesses(), std::back_inserter(blocked.businesses));
  std::ranges::move(full, std::back_inserter(blocked.businesses));
  return blocked;
}

storage::Claim DueRuns::claim_from(storage::RunStore& store, const Blocked& blocked,
                                   const storage::QueueFloors& floors) {
  return store.claim({.lease = claim_lease,
                      .per_destination = options_.per_destination,
                      .runs = options_.batch,
                      .bytes = std::min(options_.bytes, runner_.free_bytes()),
                      .blocked_destinations = blocked.destinations,
                      .blocked_businesses = blocked.businesses,
                      .floors = floors});
}

void DueRuns::raise_floors(storage::RunStore& store, const storage::QueueFloors& floors, Time now) {
  if (floors.destinations.empty() || now < next_raise_) return;
  floors_.raise(floors, store.highest_floors(floors));
  next_raise_ = now + raise_every;
}

Time DueRuns::next_look() const {
  const Lock lock(mutex_);
  if (waits_for_room_) return Time::max();  // `note_due` wakes the pump
  return std::max(times_.next(), clock_.now() + pause_.left(std::chrono::steady_clock::now()));
}

}  // namespace waybill::worker
