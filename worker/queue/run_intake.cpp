#include "worker/queue/run_intake.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "worker/delivery/claimed_run.hpp"

namespace waybill::worker {
namespace {

constexpr Duration until_read = std::chrono::milliseconds(100);  // most readings of workflows take less

}  // namespace

RunIntake::RunIntake(const Catalogue& catalogue, WorkflowFollower& workflows, Runner& runner,
                     Preparation& preparation, const Clock& clock, Duration retention)
    : catalogue_(catalogue),
      workflows_(workflows),
      runner_(runner),
      preparation_(preparation),
      clock_(clock),
      to_check_(catalogue, clock),
      pacer_(catalogue, clock, retention) {}

void RunIntake::give_back_older(Time now) {
  runner_.give_back(to_check_.take_older(now - claim_patience), now);
}

std::vector<Guid> RunIntake::blocked_businesses() const {
  std::vector<Guid> businesses = workflows_.unread();
  std::ranges::move(to_check_.full_businesses(), std::back_inserter(businesses));
  return businesses;
}

void RunIntake::take_over(storage::Session& session, storage::Claim claim) {
  std::vector<storage::ClaimedRun>& claimed = claim.runs;
  try {
    follow_workflows(session, claim);
    pacer_.note_windows(session, claimed);
  } catch (...) {
    runner_.give_back(std::move(claimed), clock_.now());
    throw;
  }
  hold_unreadable(claimed);
  const Time now = clock_.now();
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    if (!DelayedCheck::is_wanted(run)) return false;
    to_check_.push(std::move(run), now);
    return true;
  });
  pass_on(session, std::move(claimed));
  check_some(session);
}

/// Checks runs whose delay is over, as many as a turn has time for.
void RunIntake::check_some(storage::Session& session) {
  std::vector<storage::ClaimedRun> runs = to_check_.take_some();
  if (runs.empty()) return;
  hold_unreadable(runs);
  std::vector<storage::ClaimedRun> left;
  try {
    left = to_check_.check(session, runs);
  } catch (...) {
    runner_.give_back(std::move(runs), clock_.now());
    throw;
  }
  if (!left.empty()) runner_.give_back(std::move(left), clock_.now());
  hold_unreadable(runs);
  pass_on(session, std::move(runs));
}

/// Hands claimed runs to the runner, or to the preparation if they have no texts. The runner holds or ends
/// those whose workflow is paused or gone.
void RunIntake::pass_on(storage::Session& session, std::vector<storage::ClaimedRun> claimed) {
  if (claimed.empty()) return;
  try {
    pacer_.pace(session, claimed);
  } catch (...) {
    runner_.give_back(std::move(claimed), clock_.now());
    throw;
  }
  std::vector<storage::ClaimedRun> without_texts;
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    const storage::RunKey& key = run.run.key;
    const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
    if (!storage::is_deferred(key) || run.conditions_failed || run.record_gone ||
        run.pace.kind != storage::Pace::Kind::go || !workflow || workflow->paused ||
        catalogue_.is_suspended(key.business_id))
      return false;
    without_texts.push_back(std::move(run));
    return true;
  });
  preparation_.add(std::move(without_texts));
  runner_.submit(std::move(claimed));
}

/// Finds out which changes were made before the claim, and puts back the runs that must wait until those of
/// their business are read: runs of a workflow or version that the catalogue does not have yet, and runs that
/// were created after the last reading began, because a change that was made before a replay applies to the
/// replay.
void RunIntake::follow_workflows(storage::Session& session, storage::Claim& claim) {
  if (claim.runs.empty()) return;
  workflows_.follow(session, claim.workflow_epoch);
  if (!workflows_.any_behind()) return;
  const auto is_newer = [&](const storage::ClaimedRun& run) {
    const storage::RunKey& key = run.run.key;
    const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
    return workflow ? workflow->version < key.workflow_version : !catalogue_.is_unreadable(key.workflow_id);
  };
  std::vector<storage::ClaimedRun> too_new;
  std::erase_if(claim.runs, [&](storage::ClaimedRun& run) {
    const Guid& business = run.run.key.business_id;
    const bool waits = !workflows_.is_current(business) &&
                       (is_newer(run) || !workflows_.has_read_since(business, run.run.key.created_at));
    if (waits) too_new.push_back(std::move(run));
    return waits;
  });
  runner_.give_back(std::move(too_new), clock_.now() + until_read);
}

/// Puts back the runs whose workflow, or whose version of it, this binary cannot read.
void RunIntake::hold_unreadable(std::vector<storage::ClaimedRun>& claimed) {
  std::vector<storage::ClaimedRun> unreadable;
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    if (!run.version_unreadable && !catalogue_.is_unreadable(run.run.key.workflow_id)) return false;
    unreadable.push_back(std::move(run));
    return true;
  });
  runner_.hold_unreadable(std::move(unreadable));
}

}  // namespace waybill::worker
