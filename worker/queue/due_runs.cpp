#include "worker/queue/due_runs.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "worker/delivery/claimed_run.hpp"

namespace waybill::worker {
namespace {

constexpr Duration look_every = std::chrono::seconds(1);
constexpr Duration due_again_after = std::chrono::milliseconds(100);
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
  if (!due || (next_due_ && *next_due_ <= *due)) return waits_for_room_;
  next_due_ = due;
  return true;
}

bool DueRuns::note_room() {
  const Lock lock(mutex_);
  const std::vector<Guid> full = preparation_.full_businesses();
  const bool has_room = std::ranges::any_of(
      full_, [&](const Guid& business) { return std::ranges::find(full, business) == full.end(); });
  if (!has_room) return waits_for_room_;
  full_.clear();
  next_due_ = Time{};
  return true;
}

bool DueRuns::claim(storage::Session& session) {
  const Time now = clock_.now();
  const auto began = std::chrono::steady_clock::now();
  std::vector<Guid> full;
  {
    const Lock lock(mutex_);
    const bool may_be_due = now >= next_look_ || (next_due_ && now >= *next_due_);
    if (!intake_.is_checking() && (!may_be_due || pause_.left(began) > Duration::zero())) return false;
    waits_for_room_ = !runner_.has_room() || !preparation_.has_room();
    if (waits_for_room_) return false;
    next_due_.reset();  // a time noted from now on counts, whatever the query finds
    full = full_ = preparation_.full_businesses();
  }
  storage::RunStore store(session, options_.worker);
  const bool was_checking = intake_.is_checking();
  intake_.give_back_older(now);
  std::vector<std::string> destinations = runner_.blocked_destinations();
  std::ranges::move(intake_.blocked_destinations(now), std::back_inserter(destinations));
  std::vector<Guid> businesses = runner_.blocked_businesses();
  std::ranges::copy(full, std::back_inserter(businesses));
  std::ranges::move(intake_.blocked_businesses(), std::back_inserter(businesses));
  const storage::QueueFloors floors = floors_.get();
  storage::Claim claimed;
  if (intake_.has_room()) {
    claimed = store.claim({.lease = claim_lease,
                           .per_destination = options_.per_destination,
                           .runs = options_.batch,
                           .bytes = std::min(options_.bytes, runner_.free_bytes()),
                           .blocked_destinations = destinations,
                           .blocked_businesses = businesses,
                           .floors = floors});
  }
  floors_.claimed(claimed.runs);
  const std::size_t found = claimed.runs.size();
  const bool any = found > 0 || was_checking;
  intake_.take_over(session, std::move(claimed));
  // Rates may have blocked destinations just now.
  std::ranges::move(intake_.blocked_destinations(now), std::back_inserter(destinations));
  std::optional<Time> next = store.next_due({.within = look_every,
                                             .blocked_destinations = destinations,
                                             .blocked_businesses = businesses,
                                             .floors = floors});
  raise_floors(store, floors, now);
  // A run that is due and was not claimed: another worker claims it, or the server's clock is behind.
  if (next && !any) next = std::max(*next, now + due_again_after);
  // The query leaves out the runs of blocked destinations. A late claim would miss the time in which only
  // workflows that did not fail last may probe.
  const Time next_probe = std::max(runner_.next_probe(), now + due_again_after);
  next_look_ = std::min({now + look_every, intake_.next_unblocked(), next_probe});
  if (was_checking || intake_.is_checking()) next_look_ = {};  // some businesses were left out
  if (!was_checking) pause_.looked(began, std::chrono::steady_clock::now(), found);
  const Lock lock(mutex_);
  if (next && (!next_due_ || *next < *next_due_)) next_due_ = next;
  return any;
}

void DueRuns::raise_floors(storage::RunStore& store, const storage::QueueFloors& floors, Time now) {
  if (floors.destinations.empty() || now < next_raise_) return;
  floors_.raise(floors, store.highest_floors(floors));
  next_raise_ = now + raise_every;
}

Time DueRuns::next_look() const {
  const Lock lock(mutex_);
  if (waits_for_room_) return Time::max();  // `note_due` wakes the pump
  const Time next = next_due_ ? std::min(next_look_, *next_due_) : next_look_;
  return std::max(next, clock_.now() + pause_.left(std::chrono::steady_clock::now()));
}

}  // namespace waybill::worker
