#include "worker/pipeline/due_runs.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "worker/delivery/claimed_run.hpp"

namespace waybill::worker {
namespace {

constexpr Duration look_every = std::chrono::seconds(1);
constexpr Duration due_again_after = std::chrono::milliseconds(100);
constexpr Duration render_time = std::chrono::milliseconds(2);
constexpr std::size_t first_render_batch = 4;
constexpr std::size_t most_in_render_batch = 64;
// Runs of several steps share the reads of a batch and the commit that stores their steps.
constexpr Duration begin_time = std::chrono::milliseconds(10);
constexpr std::size_t least_in_begin_batch = 8;
constexpr Duration no_memory_pause = std::chrono::milliseconds(250);

}  // namespace

DueRuns::DueRuns(const Options& options, const Catalogue& catalogue, Runner& runner, const Clock& clock)
    : options_(options),
      catalogue_(catalogue),
      runner_(runner),
      clock_(clock),
      preparer_(catalogue, clock, options.worker, options.public_url),
      pacer_(catalogue, clock, options.retention),
      render_batch_(first_render_batch, most_in_render_batch, render_time),
      begin_batch_(most_in_render_batch, most_in_render_batch, begin_time) {}

bool DueRuns::note_due(std::optional<Time> due) {
  const std::lock_guard lock(mutex_);
  if (!due || (next_due_ && *next_due_ <= *due)) return waits_for_room_;
  next_due_ = due;
  return true;
}

bool DueRuns::claim(storage::Session& session) {
  const Time now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    if (now < next_look_ && (!next_due_ || now < *next_due_)) return false;
    waits_for_room_ = !runner_.has_room() || !to_render_.has_room() || !to_begin_.has_room();
    if (waits_for_room_) return false;
    next_due_.reset();  // a time noted from now on counts besides what the query finds
  }
  storage::RunStore store(session, options_.worker);
  std::vector<std::string> destinations = runner_.blocked_destinations();
  std::ranges::move(pacer_.blocked_destinations(now), std::back_inserter(destinations));
  std::vector<Guid> businesses = runner_.blocked_businesses();
  std::ranges::copy(to_render_.full_businesses(), std::back_inserter(businesses));
  std::ranges::copy(to_begin_.full_businesses(), std::back_inserter(businesses));
  std::vector<storage::ClaimedRun> claimed =
      store.claim({.lease = options_.lease,
                   .per_destination = options_.per_destination,
                   .runs = options_.batch,
                   .bytes = std::min(options_.bytes, runner_.free_bytes()),
                   .blocked_destinations = destinations,
                   .blocked_businesses = businesses});
  const bool any = !claimed.empty();
  take_over(session, std::move(claimed));
  // The pacer may have blocked destinations just now.
  std::ranges::move(pacer_.blocked_destinations(now), std::back_inserter(destinations));
  std::optional<Time> next = store.next_due(destinations, businesses);
  // A run that is due and was not claimed: another worker claims it, or the server's clock is behind.
  if (next && !any) next = std::max(*next, now + due_again_after);
  // The query leaves out the runs of blocked destinations. A late claim would miss the time in which only
  // workflows that did not fail last may probe.
  const Time next_probe = std::max(runner_.next_probe(), now + due_again_after);
  next_look_ = std::min({now + look_every, pacer_.next_unblocked(), next_probe});
  const std::lock_guard lock(mutex_);
  if (next && (!next_due_ || *next < *next_due_)) next_due_ = next;
  return any;
}

/// Hands claimed runs to the runner, or puts them aside to be rendered. The runner holds or ends those whose
/// workflow is paused or gone.
void DueRuns::take_over(storage::Session& session, std::vector<storage::ClaimedRun> claimed) {
  std::vector<storage::ClaimedRun> unreadable;
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    if (!catalogue_.is_unreadable(run.run.key.workflow_id)) return false;
    run.run.state.code = "WORKFLOW_UNREADABLE";
    unreadable.push_back(std::move(run));
    return true;
  });
  runner_.give_back(std::move(unreadable), clock_.now() + unreadable_retry_delay);
  try {
    preparer_.recheck_delayed(session, claimed);
    pacer_.pace(session, claimed);
  } catch (...) {
    runner_.give_back(std::move(claimed), clock_.now());
    throw;
  }
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    const storage::RunKey& key = run.run.key;
    const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
    if (!storage::is_deferred(key) || run.conditions_failed || run.record_gone ||
        run.pace.kind != storage::Pace::Kind::go || !workflow || workflow->paused ||
        catalogue_.is_suspended(key.business_id))
      return false;
    const bool has_steps = run.run.state.progress || !workflow->steps.empty();
    (has_steps ? to_begin_ : to_render_).push(std::move(run), clock_.now());
    return true;
  });
  runner_.submit(std::move(claimed));
}

bool DueRuns::render_some(storage::Session& session) {
  const bool more_to_render = prepare_some(session, to_render_, render_batch_, 1);
  return prepare_some(session, to_begin_, begin_batch_, least_in_begin_batch) || more_to_render;
}

/// Prepares the next runs of a queue, `least` or as many as fit the time, and hands them to the runner.
bool DueRuns::prepare_some(storage::Session& session, RenderQueue& queue, BatchSize& size,
                           std::size_t least) {
  if (queue.empty()) return false;
  const auto started_at = std::chrono::steady_clock::now();
  const Time now = clock_.now();
  runner_.give_back(queue.take_older(now - claim_patience), now);
  std::vector<storage::ClaimedRun> runs;
  std::vector<storage::ClaimedRun> without_memory;
  while (!queue.empty() && runs.size() < std::max(size.get(), least)) {
    storage::ClaimedRun run = queue.pop();
    (runner_.has_memory(run.run.key.business_id) ? runs : without_memory).push_back(std::move(run));
  }
  runner_.give_back(std::move(without_memory), now + no_memory_pause);
  const std::size_t count = runs.size();
  std::vector<storage::ClaimedRun> claimed = runs;
  try {
    preparer_.render(session, runs);
    size.measured(count, std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started_at));
    preparer_.store_steps(session, runs);
  } catch (...) {
    // As they were claimed: a run that looks as if its wait had begun would not wait.
    runner_.give_back(std::move(claimed), clock_.now());
    throw;
  }
  runner_.submit(std::move(runs));
  return !queue.empty();
}

void DueRuns::give_back() {
  std::vector<storage::ClaimedRun> runs;
  for (RenderQueue* const queue : {&to_render_, &to_begin_}) {
    while (!queue->empty()) runs.push_back(queue->pop());
  }
  runner_.give_back(std::move(runs), clock_.now());
}

Time DueRuns::next_look() const {
  const std::lock_guard lock(mutex_);
  if (waits_for_room_) return Time::max();  // `note_due` wakes the pump
  return next_due_ ? std::min(next_look_, *next_due_) : next_look_;
}

}  // namespace waybill::worker
