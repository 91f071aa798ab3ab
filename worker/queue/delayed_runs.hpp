#pragma once

#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/delayed_check.hpp"
#include "worker/queue/claimed_run_queue.hpp"
#include "worker/threads/batch_size.hpp"

namespace waybill::worker {

/// The claimed runs whose delay is over and which wait for their check. Businesses take turns, and one turn
/// of the pump checks as many as it has time for; a business has a share of that time (ConditionShares). One
/// thread. A crash loses nothing: claims end with their lease.
class DelayedRuns {
 public:
  using Runs = std::vector<storage::ClaimedRun>;

  DelayedRuns(const Catalogue& catalogue, const Clock& clock);

  void push(storage::ClaimedRun run, Time now) { waiting_.push(std::move(run), now); }
  bool empty() const { return waiting_.empty(); }
  /// False if no more runs should be claimed.
  bool has_room() const { return waiting_.has_room(); }
  /// Businesses of which no more runs should be claimed.
  std::vector<Guid> full_businesses() const { return waiting_.full_businesses(); }

  /// Takes out the runs that came before `since`.
  Runs take_older(Time since) { return waiting_.take_older(since); }
  Runs take_all();
  /// Takes out the runs to be checked in one turn.
  Runs take_some();

  /// DelayedCheck::check of runs that were taken out: marks them, and removes and returns those that were not
  /// reached. Throws like it; `runs` are then unchanged.
  Runs check(storage::Session& session, Runs& runs);

 private:
  DelayedCheck check_;
  TimeShares<Guid> shares_;
  ClaimedRunQueue waiting_;
  BatchSize batch_;
};

}  // namespace waybill::worker
