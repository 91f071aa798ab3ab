#include "worker/delivery/runner.hpp"

#include <algorithm>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "worker/delivery/outcome.hpp"

namespace waybill::worker {
namespace {

using storage::RunState;
using storage::RunStatus;

// A run that its worker cannot read is left to others for this long.
constexpr Duration unreadable_again_after = std::chrono::seconds(5);

double seconds(Duration duration) { return std::max(std::chrono::duration<double>(duration).count(), 0.0); }

std::chrono::steady_clock::time_point moment() { return std::chrono::steady_clock::now(); }

bool changes_records(const storage::Run& run) {
  const actions::Action* const action = actions::find_action(run.key.action);
  return action != nullptr && action->changes_records();
}

}  // namespace

struct Runner::Ticket {
  storage::SettledEvent event;  // with the runs that are over
  std::vector<TaskPtr> open;
  Moment since;
  std::list<std::shared_ptr<Ticket>>::iterator position;  // in tickets_
};

struct Runner::Task {
  enum class Place : std::uint8_t { waiting, in_flight, gone };

  explicit Task(storage::Run of) : run(std::move(of)), action(actions::find_action(run.key.action)) {}

  storage::Run run;
  const actions::Action* action;       // null: there is none of that type
  std::shared_ptr<const void> memory;  // held for the texts
  json::object request;
  bool is_new = false;             // it was in the queue without its texts
  std::shared_ptr<Ticket> ticket;  // null: the run is in the queue
  Moment since;
  Place place = Place::waiting;
  WorkflowPtr workflow;  // from its admission on
  std::string message_id;

  const Guid& business() const { return run.key.business_id; }
  /// Number of attempts at its destination that may be in flight.
  std::size_t limit() const { return action == nullptr ? SIZE_MAX : action->max_in_flight(); }
};

struct Runner::Parked {
  std::deque<TaskPtr> tasks;
  bool has_place = false;  // its business's queue names it in `freed`
};

struct Runner::Queue {
  std::deque<TaskPtr> ready;
  std::deque<std::string> freed;        // destinations with parked runs and a place again
  bool parked_next = true;              // parked and ready runs alternate
  bool has_turn = false;                // in turns_
  std::optional<std::size_t> waits_at;  // in at_share_ under this number
};

Runner::Runner(Options options, const Catalogue& catalogue, actions::Effects effects, Recorder& recorder)
    : options_(std::move(options)),
      catalogue_(catalogue),
      effects_(effects),
      recorder_(recorder),
      destinations_(options_.breaker),
      places_(options_.max_in_flight),
      held_(options_.max_held),
      memory_(options_.max_bytes) {}

Runner::~Runner() = default;

void Runner::submit(std::vector<MatchedEvent> events) {
  std::vector<storage::SettledEvent> settled;
  {
    const std::lock_guard lock(mutex_);
    for (MatchedEvent& event : events) {
      const Guid business = event.runs.empty() ? Guid() : event.runs.front().run.key.business_id;
      std::size_t bytes = 0;
      for (const PlannedRun& planned : event.runs) bytes += storage::byte_size(planned.run.key);
      const bool may_hold_more = may_hold(business);
      auto memory = bytes > 0 ? memory_.hold(business, bytes) : nullptr;
      auto ticket = std::make_shared<Ticket>(
          Ticket{{event.shard, event.key, {}, std::move(event.postponed), memory}, {}, moment(), {}});
      // Ordered runs go by way of the queue, which knows what is open before them, and must be there before
      // those of the next event: nothing of theirs may wait for a try.
      const bool by_queue =
          event.orphan || !may_hold_more ||
          std::ranges::any_of(event.runs, [](const PlannedRun& planned) { return planned.run.key.ordered; });
      for (PlannedRun& planned : event.runs) {
        if (planned.run.state.status != RunStatus::queued || by_queue || is_deferred(planned.run.key)) {
          ticket->event.runs.push_back(std::move(planned.run));
          continue;
        }
        auto task = std::make_shared<Task>(std::move(planned.run));
        task->request = std::move(planned.request);
        task->memory = memory;
        task->ticket = ticket;
        ticket->open.push_back(task);
      }
      if (ticket->open.empty()) {
        settled.push_back(std::move(ticket->event));
        continue;
      }
      ticket->position = tickets_.insert(tickets_.end(), ticket);
      for (const TaskPtr& task : ticket->open) enqueue(task);
    }
  }
  recorder_.settle(std::move(settled));
  start_all();
}

void Runner::submit(std::vector<storage::ClaimedRun> runs) {
  std::vector<TaskPtr> tasks;
  tasks.reserve(runs.size());
  for (storage::ClaimedRun& claimed : runs) {
    if (TaskPtr task = task_of(std::move(claimed))) tasks.push_back(std::move(task));
  }
  {
    const std::lock_guard lock(mutex_);
    for (TaskPtr& task : tasks) enqueue(std::move(task));
  }
  start_all();
}

void Runner::give_back(std::vector<storage::ClaimedRun> runs, Time due) {
  for (storage::ClaimedRun& claimed : runs) {
    if (claimed.was == RunStatus::running) continue;  // its lease ends, and that it was lost still counts
    RunState state = std::move(claimed.run.state);
    state.status = claimed.was;
    state.at = due;
    recorder_.finish({claimed.run.key.business_id, claimed.run.key.guid, std::move(state)});
  }
}

/// Null when the run is over already.
Runner::TaskPtr Runner::task_of(storage::ClaimedRun claimed) {
  auto task = std::make_shared<Task>(std::move(claimed.run));
  const storage::RunKey& key = task->run.key;
  const Time now = effects_.clock.now();
  task->is_new = claimed.rendered;
  if (const std::size_t bytes = storage::byte_size(key)) task->memory = memory_.hold(key.business_id, bytes);
  if (is_final(task->run.state.status)) {  // it could not be rendered
    recorder_.finish({key.business_id, key.guid, std::move(task->run.state)});
    return nullptr;
  }
  if (claimed.was == RunStatus::running) {
    // Its worker was lost in the middle of a try, which counts: a run that kills workers must not do so for
    // ever.
    const actions::TryResult lost{.outcome = actions::Retry{.code = "WORKER_LOST", .retry_after = {}},
                                  .started_at = now,
                                  .duration = {},
                                  .status_code = {},
                                  .response = {},
                                  .error = "the worker was lost during this try"};
    RunState state = judge(task->run, lost, options_.schedule, now).state;
    if (is_final(state.status)) {
      recorder_.finish({key.business_id, key.guid, std::move(state)});
      return nullptr;
    }
    task->run.state.attempts = state.attempts;
    task->run.state.tries = std::move(state.tries);
  }
  if (claimed.called_off || claimed.record_gone) {
    RunState state = std::move(task->run.state);
    state.status = RunStatus::skipped;
    state.code = claimed.record_gone ? "NO_RECORD" : "CONDITION";
    state.error = claimed.record_gone ? "the record was deleted during the delay"
                                      : "the conditions no longer held after the delay";
    state.at = now;
    recorder_.finish({key.business_id, key.guid, std::move(state)});
    return nullptr;
  }
  if (task->action != nullptr &&
      is_loop(*task->action, key.depth)) {  // a replay: its origin was not even queued
    recorder_.finish({key.business_id, key.guid, loop_state(std::move(task->run.state), now)});
    return nullptr;
  }
  try {
    task->request = json::parse(key.request).as_object();
  } catch (const boost::system::system_error&) {
    RunState state = std::move(task->run.state);
    state.status = RunStatus::dead;
    state.code = "UNREADABLE";
    state.error = "the stored request cannot be read";
    state.at = now;
    recorder_.finish({key.business_id, key.guid, std::move(state)});
    return nullptr;
  }
  return task;
}

bool Runner::may_hold(const Guid& business) const {
  return held_.may_take(business) && memory_.may_take(business);
}

void Runner::enqueue(TaskPtr task) {
  const Guid business = task->business();
  task->since = moment();
  held_.take(business);
  Queue& queue = queues_[business];
  queue.ready.push_back(std::move(task));
  give_turn(business, queue);
}

void Runner::give_turn(const Guid& business, Queue& queue) {
  if (queue.has_turn || queue.waits_at || (queue.ready.empty() && queue.freed.empty())) return;
  queue.has_turn = true;
  turns_.push_back(business);
}

void Runner::wait_for_share(const Guid& business, Queue& queue) {
  queue.waits_at = places_.held(business);
  at_share_.emplace(*queue.waits_at, business);
}

/// A place came back: its business and those that hold few others may go on.
void Runner::place_freed(const TaskPtr& task) {
  places_.give(task->business());
  set_gauge(Gauge::runs_in_flight, static_cast<double>(places_.taken()));
  if (const auto queue = queues_.find(task->business()); queue != queues_.end() && queue->second.waits_at) {
    at_share_.erase({*queue->second.waits_at, task->business()});
    wait_for_share(task->business(), queue->second);
  }
  while (!at_share_.empty() && places_.may_take(at_share_.begin()->second)) {
    const Guid business = at_share_.begin()->second;
    at_share_.erase(at_share_.begin());
    Queue& queue = queues_.at(business);
    queue.waits_at.reset();
    give_turn(business, queue);
  }
}

void Runner::forget_if_idle(const Guid& business) {
  const auto found = queues_.find(business);
  const Queue& queue = found->second;
  if (queue.ready.empty() && queue.freed.empty() && !queue.has_turn && !queue.waits_at) queues_.erase(found);
}

Runner::TaskPtr Runner::next_task() {
  const Time now = effects_.clock.now();
  while (!stopping_ && places_.free() > 0 && !turns_.empty()) {
    const Guid business = turns_.front();
    turns_.pop_front();
    Queue& queue = queues_.at(business);
    queue.has_turn = false;
    if (!places_.may_take(business)) {
      wait_for_share(business, queue);
      continue;
    }
    TaskPtr task = next_of(queue, now);
    give_turn(business, queue);
    forget_if_idle(business);
    if (task) return task;
  }
  return nullptr;
}

/// A run that may start, with a place at its destination; null if there is none.
Runner::TaskPtr Runner::next_of(Queue& queue, Time now) {
  while (!queue.ready.empty() || !queue.freed.empty()) {
    const bool is_parked = !queue.freed.empty() && (queue.parked_next || queue.ready.empty());
    queue.parked_next = !is_parked;
    if (TaskPtr task = is_parked ? next_parked(queue, now) : next_ready(queue, now)) return task;
  }
  return nullptr;
}

Runner::TaskPtr Runner::next_parked(Queue& queue, Time now) {
  std::string destination = std::move(queue.freed.front());
  queue.freed.pop_front();
  const auto parked = parked_.find(destination);
  if (parked == parked_.end()) return nullptr;
  std::deque<TaskPtr>& tasks = parked->second.tasks;
  while (!tasks.empty() && tasks.front()->place == Task::Place::gone) tasks.pop_front();
  const auto next = std::ranges::find_if(tasks, [&](const TaskPtr& task) {
    return task->place != Task::Place::gone && destinations_.may_probe(task->run.key, now);
  });
  if (next == tasks.end() || !destinations_.try_start((*next)->run.key, (*next)->limit(), now)) {
    parked->second.has_place = false;
    if (tasks.empty()) parked_.erase(parked);
    return nullptr;
  }
  TaskPtr task = std::move(*next);
  tasks.erase(next);
  queue.freed.push_back(std::move(destination));  // behind the business's others
  return task;
}

Runner::TaskPtr Runner::next_ready(Queue& queue, Time now) {
  TaskPtr task = std::move(queue.ready.front());
  queue.ready.pop_front();
  if (task->place == Task::Place::gone) return nullptr;
  const std::string& destination = task->run.key.destination;
  if (destination.empty()) return task;
  if (!parked_.contains(destination) && destinations_.try_start(task->run.key, task->limit(), now))
    return task;
  std::deque<TaskPtr>& tasks = parked_[destination].tasks;  // before the task, and with it the name, moves
  tasks.push_back(std::move(task));
  return nullptr;
}

void Runner::has_place(const std::string& destination) {
  const auto parked = parked_.find(destination);
  if (parked == parked_.end() || parked->second.has_place || parked->second.tasks.empty()) return;
  const Guid business = parked->second.tasks.front()->business();
  parked->second.has_place = true;
  Queue& queue = queues_[business];
  queue.freed.push_back(destination);
  give_turn(business, queue);
}

void Runner::start_all() {
  // A try that ends at once calls back from within perform; the loop that started it goes on, not a deeper
  // one.
  thread_local bool starting = false;
  if (starting) return;
  const struct Started {
    Started() { starting = true; }
    ~Started() { starting = false; }
  } started;
  for (;;) {
    TaskPtr task;
    {
      const std::lock_guard lock(mutex_);
      task = next_task();
      if (!task) break;
      task->place = Task::Place::in_flight;
      places_.take(task->business());
      if (!admit(task)) continue;
      set_gauge(Gauge::runs_in_flight, static_cast<double>(places_.taken()));
    }
    perform(task);
  }
}

bool Runner::admit(const TaskPtr& task) {
  const WorkflowPtr workflow = catalogue_.find(task->run.key.workflow_id);
  RunState state = task->run.state;
  state.at = effects_.clock.now();
  if (catalogue_.is_unreadable(task->run.key.workflow_id) || task->action == nullptr) {
    // A worker of another version can perform it, or this one can when the workflow is mended.
    state.status = state.attempts > 0 ? RunStatus::retrying : RunStatus::queued;
    state.code = "WORKFLOW_UNREADABLE";
    state.at += unreadable_again_after;
  } else if (!workflow) {
    state.status = RunStatus::skipped;
    state.code = "WORKFLOW_DELETED";
  } else if (workflow->paused || recorder_.is_pausing(workflow->guid)) {
    state.status = RunStatus::held;
  } else {
    task->workflow = workflow;
    task->message_id = "msg_" + task->run.key.origin.to_string();
    return true;
  }
  if (const std::string& destination = task->run.key.destination; !destination.empty()) {
    destinations_.released(destination, effects_.clock.now());
    has_place(destination);
  }
  place_freed(task);
  conclude(task, std::move(state));
  return false;
}

void Runner::perform(const TaskPtr& task) {
  const actions::Attempt attempt{.request = task->request,
                                 .body = task->run.key.body ? std::string_view(*task->run.key.body) : "",
                                 .run = task->run.key.guid,
                                 .message_id = task->message_id,
                                 .secrets = valid_secrets(*task->workflow, effects_.clock.now()),
                                 .number = task->run.state.attempts + 1,
                                 .business_id = task->run.key.business_id,
                                 .trigger = task->run.key.trigger_code,
                                 .entity_type = task->run.key.entity_type,
                                 .entity_id = task->run.key.entity_id,
                                 .tries = task->run.state.tries,
                                 .workflow = task->workflow->guid,
                                 .workflow_name = task->workflow->name,
                                 .depth = task->run.key.depth,
                                 .credentials = &task->workflow->credentials};
  try {
    task->action->perform(attempt, effects_,
                          [this, task](const actions::TryResult& result) { finished(task, result); });
  } catch (const std::exception& error) {  // SQL has written a plan that no action makes
    finished(task, {.outcome = actions::Never{"UNREADABLE"},
                    .started_at = effects_.clock.now(),
                    .status_code = {},
                    .response = {},
                    .error = error.what()});
  }
}

void Runner::finished(const TaskPtr& task, const actions::TryResult& result) {
  const Time now = effects_.clock.now();
  Verdict verdict = judge(task->run, result, options_.schedule, now);
  {
    const std::lock_guard lock(mutex_);
    if (!result.cancelled) note_try(*task, result);
    if (const std::string& destination = task->run.key.destination; !destination.empty()) {
      if (result.cancelled) {
        destinations_.released(destination, now);
      } else {
        destinations_.ended(task->run.key, result.destination_failed, now);
      }
      has_place(destination);
    }
    place_freed(task);
    if (verdict.pause && !result.cancelled) {
      recorder_.pause({task->run.key.business_id, task->run.key.workflow_id, std::move(*verdict.pause)});
    }
    if (result.cancelled) {
      put_off(task, result.again_at.value_or(now));
    } else {
      conclude(task, std::move(verdict.state));
    }
    if (places_.taken() == 0) idle_.notify_all();
  }
  start_all();
}

void Runner::note_try(const Task& task, const actions::TryResult& result) {
  auto& tries = try_seconds_[task.action];
  if (tries == nullptr) tries = &series(Histogram::try_seconds, task.action->type());
  tries->Observe(seconds(result.duration));
  const bool is_first = task.run.state.attempts == 0 && !task.run.key.replay_of;
  if (is_first && task.workflow->delay == Duration::zero())
    record(Histogram::first_try_seconds, seconds(result.started_at - task.run.key.created_at));
}

void Runner::conclude(const TaskPtr& task, RunState state) {
  if (is_final(state.status))
    record(Histogram::run_age_seconds, seconds(state.at - task->run.key.created_at));
  const Guid business = task->business();
  held_.give(business);
  task->place = Task::Place::gone;
  if (!task->ticket) {
    // The texts stay with the run from its first attempt on: later ones send the same.
    std::optional<storage::Rendering> rendering;
    if (task->is_new && (state.attempts > 0 || is_final(state.status) || state.change))
      rendering = {task->run.key.request, std::move(task->run.key.body)};
    recorder_.finish(
        {business, task->run.key.guid, std::move(state), std::move(rendering), std::move(task->memory)});
    return;
  }
  const std::shared_ptr<Ticket> ticket = std::move(task->ticket);
  task->run.state = std::move(state);
  task->memory.reset();  // the ticket has it
  ticket->event.runs.push_back(std::move(task->run));
  std::erase(ticket->open, task);
  if (!ticket->open.empty()) return;
  recorder_.settle(std::move(ticket->event));
  tickets_.erase(ticket->position);
}

void Runner::put_off(const TaskPtr& task, Time until) {
  RunState state = task->run.state;
  state.status = state.attempts > 0 ? RunStatus::retrying : RunStatus::queued;
  state.at = until;
  conclude(task, std::move(state));
}

void Runner::put_off_tasks(std::deque<TaskPtr>& tasks) {
  const Time now = effects_.clock.now();
  for (const TaskPtr& task : tasks) {
    if (task->place != Task::Place::waiting) continue;
    put_off(task, destinations_.again_at(task->run.key, now, now + options_.patience));
  }
}

void Runner::spill_ticket(const std::shared_ptr<Ticket>& ticket) {
  const Time now = effects_.clock.now();
  // What was to be changed when all is recorded now waits for what was made to come before it.
  const bool changes_left =
      std::ranges::any_of(ticket->open, [](const TaskPtr& task) { return changes_records(task->run); });
  for (storage::Run& run : ticket->event.runs) {
    if (!changes_left || !run.state.change) continue;
    run.state.change = nullptr;
    run.state.status = RunStatus::queued;
    run.state.at = now;
  }
  for (const TaskPtr& task : ticket->open) {
    task->ticket.reset();
    if (task->place == Task::Place::in_flight) {
      storage::Run& run = ticket->event.runs.emplace_back(task->run);
      run.state.status = RunStatus::running;
      run.state.at = now + options_.lease;
    } else {
      storage::Run& run = ticket->event.runs.emplace_back(std::move(task->run));
      run.state.at = now;
      task->request = {};
      task->place = Task::Place::gone;
      held_.give(task->business());
      task->memory.reset();
    }
  }
  ticket->open.clear();
  recorder_.settle(std::move(ticket->event));
}

void Runner::spill() {
  {
    const std::lock_guard lock(mutex_);
    const Moment now = moment();
    for (auto parked = parked_.begin(); parked != parked_.end();) {
      std::deque<TaskPtr>& tasks = parked->second.tasks;
      while (!tasks.empty() && tasks.front()->place == Task::Place::gone) tasks.pop_front();
      if (!tasks.empty() && (destinations_.is_open(parked->first) ||
                             now - tasks.front()->since > options_.destination_patience)) {
        put_off_tasks(tasks);
        tasks.clear();
      }
      parked = tasks.empty() ? parked_.erase(parked) : std::next(parked);
    }
    while (!tickets_.empty() && now - tickets_.front()->since > options_.patience) {
      spill_ticket(tickets_.front());
      tickets_.pop_front();
    }
    spill_ready(now);
  }
  start_all();
}

// Forgets what has gone, and puts off what was claimed before its lease ends here, in memory.
void Runner::spill_ready(Moment now) {
  if (now < next_sweep_) return;
  next_sweep_ = now + std::chrono::milliseconds(250);
  for (auto each = queues_.begin(); each != queues_.end();) {
    auto& [business, queue] = *each;
    std::erase_if(queue.ready, [&](const TaskPtr& task) {
      if (task->place == Task::Place::waiting && !task->ticket &&
          now - task->since > options_.claim_patience) {
        put_off(task, effects_.clock.now());
      }
      return task->place == Task::Place::gone;
    });
    if (!queue.ready.empty() || !queue.freed.empty()) {
      ++each;
      continue;
    }
    if (queue.has_turn) std::erase(turns_, business);
    if (queue.waits_at) at_share_.erase({*queue.waits_at, business});
    each = queues_.erase(each);
  }
}

bool Runner::drain(Duration limit) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  return idle_.wait_for(lock, limit, [&] { return places_.taken() == 0; });
}

void Runner::hand_over(std::span<const std::int16_t> shards) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tickets_, [&](const std::shared_ptr<Ticket>& ticket) {
    if (std::ranges::find(shards, ticket->event.shard) == shards.end()) return false;
    spill_ticket(ticket);
    return true;
  });
}

void Runner::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const auto& ticket : tickets_) spill_ticket(ticket);
  tickets_.clear();
  const auto put_back = [&](const std::deque<TaskPtr>& tasks) {
    for (const TaskPtr& task : tasks) {
      if (task->place == Task::Place::waiting) put_off(task, effects_.clock.now());
    }
  };
  for (const auto& [business, queue] : queues_) put_back(queue.ready);
  for (const auto& [destination, parked] : parked_) put_back(parked.tasks);
  queues_.clear();
  turns_.clear();
  at_share_.clear();
  parked_.clear();
}

std::size_t Runner::held() const {
  const std::lock_guard lock(mutex_);
  return held_.taken();
}

std::size_t Runner::in_flight() const {
  const std::lock_guard lock(mutex_);
  return places_.taken();
}

std::size_t Runner::free_bytes() const { return memory_.free(); }

bool Runner::has_room() const {
  const std::lock_guard lock(mutex_);
  return held_.free() > 0 && memory_.free() > 0;
}

bool Runner::has_memory(const Guid& business) const {
  const std::lock_guard lock(mutex_);
  return may_hold(business);
}

std::vector<std::string> Runner::blocked_destinations() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> blocked = destinations_.resting(effects_.clock.now());
  std::erase_if(blocked, [&](const std::string& destination) { return parked_.contains(destination); });
  for (const auto& [destination, tasks] : parked_) blocked.push_back(destination);
  return blocked;
}

std::vector<Guid> Runner::blocked_businesses() const {
  const std::lock_guard lock(mutex_);
  std::vector<Guid> blocked = places_.beyond_share();
  for (const auto& businesses : {held_.beyond_share(), memory_.beyond_share()}) {
    for (const Guid& business : businesses) {
      if (std::ranges::find(blocked, business) == blocked.end()) blocked.push_back(business);
    }
  }
  return blocked;
}

}  // namespace waybill::worker
