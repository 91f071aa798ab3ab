#include "worker/delivery/claimed_run.hpp"

#include <string>
#include <utility>

#include "worker/outcomes/verdict.hpp"
#include "worker/planning/run_plan.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

using storage::RunState;
using storage::RunStatus;
using storage::window_code;

RunState ended(RunState state, RunStatus status, const char* code, std::string error, Time now) {
  state.status = status;
  state.code = code;
  state.error = std::move(error);
  state.at = now;
  return state;
}

/// The state after an attempt during which the worker was lost.
RunState after_lost_attempt(const storage::Run& run, const domain::RetrySchedule& schedule, Time now) {
  const actions::AttemptResult lost{.outcome = actions::Retry{.code = "WORKER_LOST", .retry_after = {}},
                                    .started_at = now,
                                    .duration = {},
                                    .status_code = {},
                                    .response = {},
                                    .error = "The worker was lost during this attempt."};
  return judge(run, lost, schedule, now).state;
}

/// The state of a run that its workflow's window, limit or rate keeps from an attempt.
RunState paced(RunState state, const storage::Pace& pace, Time now) {
  using Kind = storage::Pace::Kind;
  if (pace.kind == Kind::limited)
    return ended(std::move(state), RunStatus::skipped, "LIMITED",
                 "The limit of the workflow was reached for this value.", now);
  if (pace.kind == Kind::expired)
    return ended(std::move(state), RunStatus::dead, "EXPIRED",
                 "The run would have waited longer than its event is kept.", now);
  const bool is_window = pace.kind == Kind::window;
  state.status = attempts_of_step(state) > 0 ? RunStatus::retrying
                 : is_window                 ? RunStatus::waiting
                                             : RunStatus::queued;
  if (is_window) state.code = window_code;
  state.at = pace.until;
  return state;
}

}  // namespace

std::variant<TaskPtr, storage::QueuedOutcome> open_claimed_run(storage::ClaimedRun claimed,
                                                               const domain::RetrySchedule& schedule,
                                                               Time now) {
  auto task = std::make_shared<Task>(std::move(claimed.run));
  const storage::RunKey& key = task->run.key;
  const auto end = [&](RunState state) {
    return storage::QueuedOutcome{.key = queued_key(key), .state = std::move(state), .ordered = key.ordered};
  };
  task->has_new_texts = claimed.rendered;
  task->claimed_at = claimed.claimed_at;
  RunState& state = task->run.state;
  if (is_final(state.status) || (awaits_step(state) && state.status != RunStatus::running))
    return end(std::move(state));
  if (claimed.previous_status == RunStatus::running) {
    RunState lost = after_lost_attempt(task->run, schedule, now);
    if (lost.status != RunStatus::retrying) return end(std::move(lost));
    state.attempts = lost.attempts;
    state.tries = std::move(lost.tries);
  }
  if (claimed.record_gone) {
    return end(ended(std::move(state), RunStatus::skipped, "NO_RECORD",
                     "The record was deleted while the run waited.", now));
  }
  if (claimed.conditions_failed && claimed.is_unjudged) return end(unjudged_state(std::move(state), now));
  if (claimed.conditions_failed) {
    std::string error = "The conditions no longer held after the delay";
    if (!claimed.failed_condition.empty()) error += ": " + claimed.failed_condition;
    return end(ended(std::move(state), RunStatus::skipped, "CONDITION", error + '.', now));
  }
  if (state.code == window_code) state.code.reset();
  if (claimed.pace.kind != storage::Pace::Kind::go) return end(paced(std::move(state), claimed.pace, now));
  task->start_before = claimed.pace.start_before;
  // Planning ends other runs of loops. Replays and runs of timers are checked here.
  if (task->action != nullptr && is_loop(*task->action, key.depth))
    return end(end_step(loop_state(std::move(state), now), now));
  if (storage::is_deferred(key)) return task;
  try {
    task->request = json::parse(key.request).as_object();
  } catch (const boost::system::system_error&) {
    return end(
        ended(std::move(state), RunStatus::dead, "UNREADABLE", "The stored request cannot be read.", now));
  }
  return task;
}

}  // namespace waybill::worker
