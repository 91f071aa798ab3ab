#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/queue/delayed_runs.hpp"
#include "worker/queue/pacer.hpp"
#include "worker/queue/preparation.hpp"

namespace waybill::worker {

/// Takes over claimed runs: checks those whose delay is over, applies windows, limits and rates, and hands
/// them to the runner, or to the preparation if they have no texts. Those that must wait for a changed
/// workflow go back into the database's queue. A crash loses nothing: claims end with their lease. Runs on
/// the pump thread only. Methods with a session throw DatabaseUnavailable or StatementError, after which
/// nothing is half done.
class RunIntake {
 public:
  /// `retention` is that of events. Everything referred to outlives it.
  RunIntake(const Catalogue& catalogue, WorkflowFollower& workflows, Runner& runner, Preparation& preparation,
            const Clock& clock, Duration retention);

  /// Takes over runs, and checks as many of those that wait for their check as a turn has time for.
  void take_over(storage::Session& session, storage::Claim claim);
  /// Puts the runs that are not checked back into the database's queue. `take_over` is not called again.
  void stop() { runner_.give_back(to_check_.take_all(), clock_.now()); }

  /// True while runs wait for their check.
  bool is_checking() const { return !to_check_.empty(); }
  /// Puts back the runs that have waited for their check for longer than `claim_patience`.
  void give_back_older(Time now);
  /// False if no more runs should be claimed.
  bool has_room() const { return to_check_.has_room(); }
  /// Businesses of which no more runs should be claimed: many wait for their check, or the business has
  /// changes that are still to be read.
  std::vector<Guid> blocked_businesses() const;

  /// Pacer::blocked_destinations.
  std::vector<std::string> blocked_destinations(Time now) { return pacer_.blocked_destinations(now); }
  /// Pacer::next_unblocked.
  Time next_unblocked() const { return pacer_.next_unblocked(); }

 private:
  void follow_workflows(storage::Session& session, storage::Claim& claim);
  void hold_unreadable(std::vector<storage::ClaimedRun>& claimed);
  void check_some(storage::Session& session);
  void pass_on(storage::Session& session, std::vector<storage::ClaimedRun> runs);

  const Catalogue& catalogue_;
  WorkflowFollower& workflows_;
  Runner& runner_;
  Preparation& preparation_;
  const Clock& clock_;
  DelayedRuns to_check_;
  Pacer pacer_;
};

}  // namespace waybill::worker
