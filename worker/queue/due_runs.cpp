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

}  // namespace

DueRuns::DueRuns(const Options& options, const Catalogue& catalogue, WorkflowFollower& workflows,
                 Runner& runner, Preparation& preparation, const Clock& clock)
    : options_(options),
      catalogue_(catalogue),
      workflows_(workflows),
      runner_(runner),
      preparation_(preparation),
      clock_(clock),
      to_check_(catalogue),
      pacer_(catalogue, clock, options.retention) {}

bool DueRuns::note_due(std::optional<Time> due) {
  const std::lock_guard lock(mutex_);
  if (!due || (next_due_ && *next_due_ <= *due)) return waits_for_room_;
  next_due_ = due;
  return true;
}

bool DueRuns::note_room() {
  const std::lock_guard lock(mutex_);
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
    const std::lock_guard lock(mutex_);
    const bool may_be_due = now >= next_look_ || (next_due_ && now >= *next_due_);
    if (to_check_.empty() && (!may_be_due || pause_.left(began) > Duration::zero())) return false;
    waits_for_room_ = !runner_.has_room() || !preparation_.has_room();
    if (waits_for_room_) return false;
    next_due_.reset();  // a time noted from now on counts besides what the query finds
    full = full_ = preparation_.full_businesses();
  }
  storage::RunStore store(session, options_.worker);
  std::vector<std::string> destinations = runner_.blocked_destinations();
  std::ranges::move(pacer_.blocked_destinations(now), std::back_inserter(destinations));
  std::vector<Guid> businesses = runner_.blocked_businesses();
  std::ranges::copy(full, std::back_inserter(businesses));
  std::ranges::copy(workflows_.unread(), std::back_inserter(businesses));
  const bool was_checking = !to_check_.empty();
  runner_.give_back(to_check_.take_older(now - claim_patience), now);
  std::ranges::move(to_check_.full_businesses(), std::back_inserter(businesses));
  std::vector<storage::ClaimedRun> claimed;
  if (to_check_.has_room()) {
    claimed = store.claim({.lease = claim_lease,
                           .per_destination = options_.per_destination,
                           .runs = options_.batch,
                           .bytes = std::min(options_.bytes, runner_.free_bytes()),
                           .blocked_destinations = destinations,
                           .blocked_businesses = businesses});
  }
  const std::size_t found = claimed.size();
  const bool any = found > 0 || was_checking;
  take_over(session, std::move(claimed));
  check_some(session);
  // The pacer may have blocked destinations just now.
  std::ranges::move(pacer_.blocked_destinations(now), std::back_inserter(destinations));
  std::optional<Time> next = store.next_due(destinations, businesses);
  // A run that is due and was not claimed: another worker claims it, or the server's clock is behind.
  if (next && !any) next = std::max(*next, now + due_again_after);
  // The query leaves out the runs of blocked destinations. A late claim would miss the time in which only
  // workflows that did not fail last may probe.
  const Time next_probe = std::max(runner_.next_probe(), now + due_again_after);
  next_look_ = std::min({now + look_every, pacer_.next_unblocked(), next_probe});
  if (was_checking || !to_check_.empty()) next_look_ = {};  // some businesses were left out
  if (!was_checking) pause_.looked(began, std::chrono::steady_clock::now(), found);
  const std::lock_guard lock(mutex_);
  if (next && (!next_due_ || *next < *next_due_)) next_due_ = next;
  return any;
}

void DueRuns::take_over(storage::Session& session, std::vector<storage::ClaimedRun> claimed) {
  try {
    follow_workflows(session, claimed);
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
}

/// Checks runs whose delay is over, as many as a turn has time for.
void DueRuns::check_some(storage::Session& session) {
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

void DueRuns::stop() { runner_.give_back(to_check_.take_all(), clock_.now()); }

/// Hands claimed runs to the runner, or to the preparation if they have no texts. The runner holds or ends
/// those whose workflow is paused or gone.
void DueRuns::pass_on(storage::Session& session, std::vector<storage::ClaimedRun> claimed) {
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

/// Puts those runs back into the queue that must wait until changes of their business are read. That is the
/// case for a run of a newer workflow or version, which has other conditions and limits and is not deleted.
/// If the business has changes, it is also the case for a run that was created after the last reading began:
/// what was changed before a replay holds for the replay.
void DueRuns::follow_workflows(storage::Session& session, std::vector<storage::ClaimedRun>& claimed) {
  const auto is_newer = [&](const storage::ClaimedRun& run) {
    const storage::RunKey& key = run.run.key;
    const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
    return workflow ? workflow->version < key.workflow_version : !catalogue_.is_unreadable(key.workflow_id);
  };
  if (std::ranges::any_of(claimed, is_newer)) workflows_.follow_now(session);
  if (!workflows_.any_behind()) return;
  std::vector<storage::ClaimedRun> too_new;
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    const Guid& business = run.run.key.business_id;
    const bool waits = !workflows_.is_current(business) &&
                       (is_newer(run) || !workflows_.has_read_since(business, run.run.key.created_at));
    if (waits) too_new.push_back(std::move(run));
    return waits;
  });
  runner_.give_back(std::move(too_new), clock_.now() + due_again_after);
}

/// Puts those runs back whose workflow, or whose version of it, this binary cannot read.
void DueRuns::hold_unreadable(std::vector<storage::ClaimedRun>& claimed) {
  std::vector<storage::ClaimedRun> unreadable;
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    if (!run.version_unreadable && !catalogue_.is_unreadable(run.run.key.workflow_id)) return false;
    unreadable.push_back(std::move(run));
    return true;
  });
  runner_.hold_unreadable(std::move(unreadable));
}

Time DueRuns::next_look() const {
  const std::lock_guard lock(mutex_);
  if (waits_for_room_) return Time::max();  // `note_due` wakes the pump
  const Time next = next_due_ ? std::min(next_look_, *next_due_) : next_look_;
  return std::max(next, clock_.now() + pause_.left(std::chrono::steady_clock::now()));
}

}  // namespace waybill::worker
