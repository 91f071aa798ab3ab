#include "worker/delivery/runner.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "domain/workflows/pacing.hpp"
#include "worker/delivery/claimed_run.hpp"
#include "worker/outcomes/verdict.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

using storage::RunState;
using storage::RunStatus;

double seconds(Duration duration) { return std::max(std::chrono::duration<double>(duration).count(), 0.0); }

Task::Moment moment() { return std::chrono::steady_clock::now(); }

/// True if the business has switched off the notifications that the action sends.
bool is_silenced(const actions::Action& action, const Workflow& workflow) {
  switch (action.notification()) {
    case actions::Notification::email:
      return !workflow.business->email_enabled;
    case actions::Notification::push:
      return !workflow.business->push_enabled;
    case actions::Notification::none:
      break;
  }
  return false;
}

/// The entries of a run's attempts that belong to its current step.
std::string tries_of_step(const RunState& state) {
  json::value all = json::parse(state.tries);
  json::array own;
  for (json::value& attempt : all.as_array()) {
    const json::value* const step = attempt.as_object().if_contains("step");
    if (step != nullptr && step->to_number<int>() == state.progress->number)
      own.push_back(std::move(attempt));
  }
  return to_json(own);
}

RunStatus waiting_status(const RunState& state) {
  return attempts_of_step(state) > 0 ? RunStatus::retrying : RunStatus::queued;
}

/// True if a step ended and nothing but its preparation keeps the next one. A step that changes records
/// begins in the queue, where it waits for the changes of other workflows.
bool goes_on_at_once(const Verdict& verdict) {
  const RunState& state = verdict.state;
  if (!awaits_step(state) || state.status != RunStatus::queued || state.change || verdict.pause ||
      state.destination_down)
    return false;
  return actions::only_sends(state.progress->type);
}

/// The credentials for the destination of a task's request.
const actions::Credentials& credentials_of(const Task& task) {
  const actions::Credentials& all = task.workflow->credentials;
  const auto* const url = task.request.if_contains("url");
  if (all.empty() || url == nullptr || !url->is_string()) return all;
  const int number = task.run.state.progress ? task.run.state.progress->number : 1;
  return all.of_run(number, actions::credential_host(url->get_string()));
}

}  // namespace

Runner::Runner(Options options, const Catalogue& catalogue, actions::Effects effects, Outcomes& outcomes,
               Upstream& upstream)
    : options_(std::move(options)),
      catalogue_(catalogue),
      effects_(effects),
      upstream_(upstream),
      outcomes_(outcomes),
      queues_({.places = options_.max_in_flight, .breaker = options_.breaker}),
      memory_(options_.max_bytes),
      room_(options_.max_held, memory_) {}

Runner::~Runner() = default;

void Runner::submit(std::vector<MatchedEvent> events) {
  std::vector<storage::SettledEvent> settled;
  {
    const Lock lock(mutex_);
    const Moment now = moment();
    for (MatchedEvent& event : events) add(std::move(event), now, settled);
  }
  outcomes_.settle(std::move(settled));
  start_all();
}

void Runner::submit(std::vector<storage::ClaimedRun> runs) {
  std::vector<TaskPtr> tasks;
  tasks.reserve(runs.size());
  for (storage::ClaimedRun& claimed : runs) {
    auto opened = open_claimed_run(std::move(claimed), options_.schedule, effects_.clock.now());
    if (auto* const ended = std::get_if<storage::QueuedOutcome>(&opened)) {
      outcomes_.finish(std::move(*ended));
      continue;
    }
    const TaskPtr& task = tasks.emplace_back(std::get<TaskPtr>(std::move(opened)));
    if (const std::size_t bytes = storage::byte_size(task->run.key))
      task->memory = memory_.hold(task->business(), bytes);
  }
  {
    const Lock lock(mutex_);
    const Moment now = moment();
    for (TaskPtr& task : tasks) {
      room_.enter(task->business());
      enqueue(std::move(task), now);
    }
  }
  start_all();
}

void Runner::give_back(std::vector<storage::ClaimedRun> runs, Time due) {
  for (storage::ClaimedRun& claimed : runs) {
    if (claimed.previous_status == RunStatus::running)
      continue;  // its lease expires, and then the lost attempt counts
    RunState state = std::move(claimed.run.state);
    state.status = claimed.previous_status;
    state.at = due;
    outcomes_.finish({queued_key(claimed.run.key), std::move(state)});
  }
}

void Runner::hold_unreadable(std::vector<storage::ClaimedRun> runs) {
  for (storage::ClaimedRun& claimed : runs) claimed.run.state.code = std::string(storage::unreadable_code);
  give_back(std::move(runs), effects_.clock.now() + unreadable_retry_delay);
}

void Runner::enqueue(TaskPtr task, Moment now) {
  task->since = now;
  queues_.add(std::move(task));
}

void Runner::start_all() {
  // An attempt that ends at once calls back from within `perform`. The nested call returns, and the outer
  // loop starts the next task.
  thread_local bool starting = false;
  if (starting) return;
  const struct Started {
    Started() { starting = true; }
    ~Started() { starting = false; }
  } started;
  for (;;) {
    TaskPtr task;
    {
      const Lock lock(mutex_);
      if (!stopping_ && moment() < allowed_until_) task = queues_.next(effects_.clock.now());
      set_gauge(Gauge::runs_in_flight, static_cast<double>(queues_.in_flight()));
      if (!task) break;
      if (!admit(task)) continue;
    }
    perform(task);
  }
}

/// True if the run's workflow allows the attempt; otherwise the task is concluded.
bool Runner::admit(const TaskPtr& task) {
  const Time now = effects_.clock.now();
  const WorkflowPtr workflow = catalogue_.find(task->run.key.workflow_id);
  RunState state = task->run.state;
  state.at = now;
  const bool is_deferred = storage::is_deferred(task->run.key);
  if (catalogue_.is_unreadable(task->run.key.workflow_id) || (task->action == nullptr && !is_deferred)) {
    // A worker of another version can perform it, or this one can once the workflow is repaired.
    state.status = waiting_status(state);
    state.code = std::string(storage::unreadable_code);
    state.at += unreadable_retry_delay;
  } else if (!workflow) {
    state.status = RunStatus::skipped;
    state.code = "WORKFLOW_DELETED";
    state.error = "The workflow was deleted.";
  } else if (workflow->paused || outcomes_.is_pausing(workflow->guid) ||
             catalogue_.is_suspended(workflow->business_id)) {
    state.status = RunStatus::held;
  } else if (is_deferred) {  // NOLINT(bugprone-branch-clone): the order of the conditions matters
    state.status = waiting_status(state);  // its workflow was paused when it was claimed
  } else if (is_silenced(*task->action, *workflow)) {
    state.status = RunStatus::skipped;
    state.code = "NOTIFICATIONS_OFF";
    state.error = "The business has switched off these notifications.";
    state = end_step(std::move(state), now);
  } else if ((task->start_before && now >= *task->start_before) || task->claimed_at < gave_up_at_) {
    state.status = waiting_status(state);
  } else {
    task->workflow = workflow;
    task->message_id = "msg_" + task->run.key.origin.to_string();
    if (state.progress) {
      if (state.progress->number > 1) task->message_id += '_' + std::to_string(state.progress->number);
      task->step_tries = tries_of_step(state);
    }
    return true;
  }
  queues_.released(*task, now);
  conclude(task, std::move(state));
  return false;
}

void Runner::perform(const TaskPtr& task) {
  const storage::Run& run = task->run;
  const auto* const step = run.state.progress.get();  // null for a run of one action
  const actions::Attempt attempt{
      .request = task->request,
      .body = run.key.body ? std::string_view(*run.key.body) : "",
      .run = run.key.guid,
      .message_id = task->message_id,
      .secrets = valid_secrets(*task->workflow, effects_.clock.now()),
      .number = run.state.attempts + 1 - (step == nullptr ? 0 : step->attempts_before),
      .business_id = run.key.business_id,
      .trigger = run.key.trigger_code,
      .entity_type = run.key.entity_type,
      .entity_id = run.key.entity_id,
      .tries = step == nullptr ? run.state.tries : task->step_tries,
      .workflow = task->workflow->guid,
      .workflow_name = task->workflow->name,
      .depth = run.key.depth,
      .credentials = &credentials_of(*task),
      .step = step == nullptr ? 1 : step->number,
      .expires_at = run.key.created_at + options_.retention};
  try {
    task->action->perform(attempt, effects_,
                          [this, task](const actions::AttemptResult& result) { finished(task, result); });
  } catch (const std::exception& error) {  // a plan written by SQL, which no action makes
    finished(task, {.outcome = actions::Dead{"UNREADABLE"},
                    .started_at = effects_.clock.now(),
                    .status_code = {},
                    .response = {},
                    .error = error.what()});
  }
}

void Runner::finished(const TaskPtr& task, const actions::AttemptResult& result) {
  const Time now = effects_.clock.now();
  Verdict verdict = judge(task->run, result, options_.schedule, now);
  std::optional<storage::Run> going_on;
  {
    const Lock lock(mutex_);
    if (result.cancelled) {
      queues_.released(*task, now);
      requeue(task, result.next_attempt_at.value_or(now));
    } else {
      measure(*task, result);
      verdict.state.destination_down = queues_.ended(*task, result.destination_failed, now);
      count(*task, result, now);
      if (verdict.pause)
        outcomes_.pause({task->business(), task->run.key.workflow_id, std::move(*verdict.pause)});
      if (!stopping_ && goes_on_at_once(verdict)) {
        leave(task);
        going_on = {task->run.key, std::move(verdict.state)};
      } else {
        conclude(task, std::move(verdict.state));
      }
    }
    if (queues_.in_flight() == 0) idle_.notify_all();
  }
  if (going_on) go_on(std::move(*going_on));
  start_all();
}

/// Hands a run over to the preparation of its next step, or to the database's queue if the preparation does
/// not take it.
void Runner::go_on(storage::Run run) {
  const storage::QueuedKey key = queued_key(run.key);
  const RunState ended = run.state;
  run.key.request = storage::deferred_request;
  run.key.body.reset();
  run.key.addresses.clear();
  run.state.status = RunStatus::running;
  // The beginning of the next step is stored only if this worker still holds the run.
  storage::ClaimedRun claimed{
      .run = std::move(run), .goes_on = true, .claimed_at = moment(), .previous_status = RunStatus::queued};
  if (!upstream_.go_on(std::move(claimed))) outcomes_.finish({key, ended});
}

/// Counts the attempt at its destination. Push messages and stores are counted by their senders, which know
/// the servers.
void Runner::count(const Task& task, const actions::AttemptResult& result, Time now) {
  if (options_.counts == nullptr) return;
  const bool is_mail = task.action->notification() == actions::Notification::email;
  if (!is_mail && task.action->type() != "webhook") return;
  const std::string_view place = task.destination();
  std::string_view destination = is_mail ? options_.mail_server : place.substr(0, place.find('/'));
  if (!is_mail && domain::is_shared_place(place)) destination = net::other_destinations;
  if (destination.empty()) return;
  options_.counts->note({.business = task.business(),
                         .kind = is_mail ? net::DestinationKind::mail : net::DestinationKind::webhook,
                         .destination = destination,
                         .workflow = task.run.key.workflow_id,
                         .succeeded = std::holds_alternative<actions::Done>(result.outcome),
                         .duration = result.duration,
                         .at = now,
                         .health = queues_.health(task)});
}

void Runner::measure(const Task& task, const actions::AttemptResult& result) {
  auto& histogram = attempt_seconds_[task.action];
  if (histogram == nullptr) histogram = &series(Histogram::attempt_seconds, task.action->type());
  histogram->Observe(seconds(result.duration));
  const auto& step = task.run.state.progress;
  const bool is_first =
      task.run.state.attempts == 0 && !task.run.key.replay_of && (!step || step->number == 1);
  if (is_first && !task.workflow->has_delay())
    record(Histogram::first_attempt_seconds, seconds(result.started_at - task.run.key.created_at));
}

void Runner::leave(const TaskPtr& task) {
  room_.leave(task->business());
  task->place = Task::Place::gone;
}

/// Records the next state of a run, which leaves memory.
void Runner::conclude(const TaskPtr& task, RunState state) {
  if (is_final(state.status))
    record(Histogram::run_age_seconds, seconds(state.at - task->run.key.created_at));
  leave(task);
  if (task->event) {
    task->run.state = std::move(state);
    task->memory.reset();  // the event holds it
    conclude_of_event(task);
    return;
  }
  // The texts stay with the run from its first attempt on: later attempts send the same.
  std::optional<storage::Rendering> rendering;
  if (task->has_new_texts && (state.attempts > 0 || is_final(state.status) || state.change))
    rendering = {task->run.key.request, std::move(task->run.key.body), std::move(task->run.key.addresses)};
  outcomes_.finish({.key = queued_key(task->run.key),
                    .state = std::move(state),
                    .rendering = std::move(rendering),
                    .memory = std::move(task->memory),
                    .ordered = task->run.key.ordered});
}

/// Puts a run back into the database's queue. Does not count as an attempt.
void Runner::requeue(const TaskPtr& task, Time due) {
  RunState state = task->run.state;
  state.status = waiting_status(state);
  state.at = due;
  conclude(task, std::move(state));
}

void Runner::spill() {
  {
    const Lock lock(mutex_);
    const Moment current = moment();
    const Time now = effects_.clock.now();
    for (const auto& [task, due] :
         queues_.take_blocked(current - options_.destination_patience, now, now + options_.patience))
      requeue(task, due);
    while (const OpenEventPtr event =
               events_.oldest(current - options_.patience, current - options_.patience_behind)) {
      if (event->ordered)
        queue_chain(*event->ordered);
      else
        settle(events_.queue(event, now, lease_end()));
    }
    for (const TaskPtr& task : queues_.take_arrived(current, options_.claim_patience)) requeue(task, now);
  }
  start_all();
}

bool Runner::drain(Duration limit) {
  Lock lock(mutex_);
  stopping_ = true;
  return idle_.wait_for(lock, limit, [this]() REQUIRES(mutex_) { return queues_.in_flight() == 0; });
}

void Runner::hand_over(std::span<const std::int16_t> shards) {
  const Lock lock(mutex_);
  for (auto& queued : events_.queue_shards(shards, effects_.clock.now(), lease_end()))
    settle(std::move(queued));
  chains_.drop_gone();
}

void Runner::allow_until(Moment until) {
  {
    const Lock lock(mutex_);
    allowed_until_ = until;
  }
  start_all();
}

void Runner::give_up() {
  const Lock lock(mutex_);
  gave_up_at_ = moment();
  queue_everything();
}

void Runner::stop() {
  const Lock lock(mutex_);
  stopping_ = true;
  queue_everything();
}

void Runner::queue_everything() {
  const Time now = effects_.clock.now();
  for (auto& queued : events_.queue_all(now, lease_end())) settle(std::move(queued));
  chains_.drop_gone();
  for (const TaskPtr& task : queues_.take_all()) requeue(task, now);
}

std::size_t Runner::held() const {
  const Lock lock(mutex_);
  return room_.runs();
}

std::size_t Runner::in_flight() const {
  const Lock lock(mutex_);
  return queues_.in_flight();
}

std::size_t Runner::free_bytes() const { return memory_.free(); }

bool Runner::has_room() const {
  const Lock lock(mutex_);
  return room_.has_room();
}

bool Runner::has_memory(const Guid& business) const {
  const Lock lock(mutex_);
  return room_.may_enter(business);
}

std::vector<std::string> Runner::blocked_destinations() const {
  const Lock lock(mutex_);
  return queues_.blocked_destinations(effects_.clock.now());
}

Time Runner::next_probe() const {
  const Lock lock(mutex_);
  return queues_.next_probe(effects_.clock.now());
}

std::vector<Guid> Runner::blocked_businesses() const {
  const Lock lock(mutex_);
  std::vector<Guid> blocked = queues_.blocked_businesses();
  for (const Guid& business : room_.full_businesses()) {
    if (std::ranges::find(blocked, business) == blocked.end()) blocked.push_back(business);
  }
  return blocked;
}

}  // namespace waybill::worker
