#include "worker/runner.hpp"

#include <algorithm>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "worker/outcome.hpp"

namespace waybill::worker {
namespace {

using storage::RunState;
using storage::RunStatus;

// How long those whose run did not fail last may probe before it may: half the breaker's pause, within these.
constexpr Duration least_head_start = std::chrono::milliseconds(500);
constexpr Duration most_head_start = std::chrono::seconds(5);

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
  const actions::Action* action;  // null: there is none of that type
  json::object request;
  std::shared_ptr<Ticket> ticket;  // null: the run is in the queue
  Moment since;
  Place place = Place::waiting;
  WorkflowPtr workflow;  // from its admission on
  std::string message_id;

  /// How many of its destination may be in flight.
  std::size_t limit() const { return action == nullptr ? SIZE_MAX : action->max_in_flight(); }
};

struct Runner::Parked {
  std::deque<TaskPtr> tasks;
  bool has_place = false;  // it is in freed_
};

Runner::Runner(Options options, const Catalogue& catalogue, actions::Effects effects, Recorder& recorder)
    : options_(std::move(options)),
      catalogue_(catalogue),
      effects_(effects),
      recorder_(recorder),
      breaker_(options_.breaker) {}

Runner::~Runner() = default;

void Runner::submit(std::vector<MatchedEvent> events) {
  std::vector<storage::SettledEvent> settled;
  {
    const std::lock_guard lock(mutex_);
    for (MatchedEvent& event : events) {
      auto ticket = std::make_shared<Ticket>(Ticket{{event.shard, event.key, {}}, {}, moment(), {}});
      // Ordered runs go by way of the queue, which knows what is open before them, and must be there before
      // those of the next event: nothing of theirs may wait for a try.
      const bool by_queue = event.orphan || std::ranges::any_of(event.runs, [](const PlannedRun& planned) {
                              return planned.run.key.ordered;
                            });
      for (PlannedRun& planned : event.runs) {
        if (planned.run.state.status != RunStatus::queued || by_queue) {
          ticket->event.runs.push_back(std::move(planned.run));
          continue;
        }
        auto task = std::make_shared<Task>(std::move(planned.run));
        task->request = std::move(planned.request);
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

void Runner::give_back(std::vector<storage::ClaimedRun> runs) {
  for (storage::ClaimedRun& claimed : runs) {
    if (claimed.was == RunStatus::running) continue;  // its lease ends, and that it was lost still counts
    RunState state = std::move(claimed.run.state);
    state.status = claimed.was;
    state.at = effects_.clock.now();
    recorder_.finish({claimed.run.key.business_id, claimed.run.key.guid, std::move(state)});
  }
}

/// Null when the run is over already.
Runner::TaskPtr Runner::task_of(storage::ClaimedRun claimed) {
  auto task = std::make_shared<Task>(std::move(claimed.run));
  const storage::RunKey& key = task->run.key;
  const Time now = effects_.clock.now();
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

void Runner::enqueue(TaskPtr task) {
  task->since = moment();
  ++held_;
  std::deque<TaskPtr>& queue = ready_[task->run.key.business_id];
  if (queue.empty()) turns_.push_back(task->run.key.business_id);
  queue.push_back(std::move(task));
}

Runner::TaskPtr Runner::next_task() {
  const Time now = effects_.clock.now();
  while (!stopping_ && in_flight_ < options_.max_in_flight) {
    if (!freed_.empty()) {
      const auto parked = parked_.find(freed_.front());
      if (parked == parked_.end()) {
        freed_.pop_front();
        continue;
      }
      std::deque<TaskPtr>& tasks = parked->second.tasks;
      while (!tasks.empty() && tasks.front()->place == Task::Place::gone) tasks.pop_front();
      const auto next = std::ranges::find_if(tasks, [&](const TaskPtr& task) {
        return task->place != Task::Place::gone && may_probe(*task, now);
      });
      if (next == tasks.end() || !breaker_.try_start(parked->first, now, (*next)->limit())) {
        parked->second.has_place = false;
        if (tasks.empty()) parked_.erase(parked);
        freed_.pop_front();
        continue;
      }
      TaskPtr task = std::move(*next);
      tasks.erase(next);
      return task;
    }
    if (turns_.empty()) return nullptr;
    const Guid business = turns_.front();
    turns_.pop_front();
    std::deque<TaskPtr>& queue = ready_[business];
    TaskPtr task = std::move(queue.front());
    queue.pop_front();
    if (queue.empty()) {
      ready_.erase(business);
    } else {
      turns_.push_back(business);
    }
    if (task->place == Task::Place::gone) continue;
    const std::string& destination = task->run.key.destination;
    if (destination.empty()) return task;
    if (!parked_.contains(destination) && may_probe(*task, now) &&
        breaker_.try_start(destination, now, task->limit())) {
      return task;
    }
    std::deque<TaskPtr>& tasks = parked_[destination].tasks;  // before the task, and with it the name, moves
    tasks.push_back(std::move(task));
  }
  return nullptr;
}

void Runner::has_place(const std::string& destination) {
  const auto parked = parked_.find(destination);
  if (parked == parked_.end() || parked->second.has_place) return;
  parked->second.has_place = true;
  freed_.push_back(destination);
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
      ++in_flight_;
      if (!admit(task)) continue;
      set_gauge(Gauge::runs_in_flight, static_cast<double>(in_flight_));
    }
    perform(task);
  }
}

bool Runner::admit(const TaskPtr& task) {
  const WorkflowPtr workflow = catalogue_.find(task->run.key.workflow_id);
  RunState state = task->run.state;
  state.at = effects_.clock.now();
  if (!workflow || task->action == nullptr) {
    state.status = RunStatus::skipped;
    state.code = "WORKFLOW_DELETED";
  } else if (workflow->paused || recorder_.is_pausing(workflow->guid)) {
    state.status = RunStatus::held;
  } else {
    task->workflow = workflow;
    task->message_id = "msg_" + task->run.key.origin.to_string();
    return true;
  }
  --in_flight_;
  if (const std::string& destination = task->run.key.destination; !destination.empty()) {
    breaker_.released(destination, state.at);
    has_place(destination);
  }
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
    --in_flight_;
    set_gauge(Gauge::runs_in_flight, static_cast<double>(in_flight_));
    if (!result.cancelled) note_try(*task, result);
    const std::string& destination = task->run.key.destination;
    if (!destination.empty()) {
      if (result.cancelled) {
        breaker_.released(destination, now);
      } else {
        note_health(*task, result.destination_failed, now);
      }
      has_place(destination);
    }
    if (verdict.pause && !result.cancelled) {
      recorder_.pause({task->run.key.business_id, task->run.key.workflow_id, std::move(*verdict.pause)});
    }
    if (result.cancelled) {
      put_off(task, result.again_at.value_or(now));
    } else {
      conclude(task, std::move(verdict.state));
    }
    if (in_flight_ == 0) idle_.notify_all();
  }
  start_all();
}

bool Runner::may_probe(const Task& task, Time now) const {
  const auto open = open_.find(task.run.key.destination);
  return open == open_.end() || open->second.workflow != task.run.key.workflow_id ||
         now >= open->second.not_before;
}

void Runner::note_health(const Task& task, bool failed, Time now) {
  const std::string& destination = task.run.key.destination;
  const bool was_open = open_.contains(destination);
  failed ? breaker_.failed(destination, now) : breaker_.succeeded(destination, now);
  const bool is_open = breaker_.state(destination) == net::CircuitBreaker::State::open;
  if (is_open) {  // so the try has failed: one success closes it
    const Time next = breaker_.retry_at(destination, now);
    open_[destination] = {task.run.key.workflow_id,
                          next + std::clamp((next - now) / 2, least_head_start, most_head_start)};
  } else {
    open_.erase(destination);
  }
  if (is_open == was_open) return;
  observe(is_open ? Observable::breaker_opened : Observable::breaker_closed, {{"destination", destination}});
  set_gauge(Gauge::breakers_open, static_cast<double>(open_.size()));
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
  --held_;
  task->place = Task::Place::gone;
  if (!task->ticket) {
    recorder_.finish({task->run.key.business_id, task->run.key.guid, std::move(state)});
    return;
  }
  const std::shared_ptr<Ticket> ticket = std::move(task->ticket);
  task->run.state = std::move(state);
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

void Runner::put_off_destination(const std::string& destination, std::deque<TaskPtr>& tasks) {
  const Time now = effects_.clock.now();
  const bool open = breaker_.state(destination) == net::CircuitBreaker::State::open;
  const Time until = open ? breaker_.retry_at(destination, now) : now + options_.patience;
  for (const TaskPtr& task : tasks) {
    if (task->place != Task::Place::waiting) continue;
    put_off(task, may_probe(*task, until) ? until : open_.at(destination).not_before);
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
      --held_;
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
      const bool open = breaker_.state(parked->first) == net::CircuitBreaker::State::open;
      if (!tasks.empty() && (open || now - tasks.front()->since > options_.destination_patience)) {
        put_off_destination(parked->first, tasks);
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
  for (auto ready = ready_.begin(); ready != ready_.end();) {
    std::erase_if(ready->second, [&](const TaskPtr& task) {
      if (task->place == Task::Place::waiting && !task->ticket &&
          now - task->since > options_.claim_patience) {
        put_off(task, effects_.clock.now());
      }
      return task->place == Task::Place::gone;
    });
    if (ready->second.empty()) {
      std::erase(turns_, ready->first);
      ready = ready_.erase(ready);
    } else {
      ++ready;
    }
  }
}

bool Runner::drain(Duration limit) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  return idle_.wait_for(lock, limit, [&] { return in_flight_ == 0; });
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
  for (const auto& [business, tasks] : ready_) put_back(tasks);
  for (const auto& [destination, parked] : parked_) put_back(parked.tasks);
  ready_.clear();
  turns_.clear();
  parked_.clear();
}

std::size_t Runner::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::size_t Runner::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

std::vector<std::string> Runner::blocked_destinations() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> blocked;
  blocked.reserve(parked_.size() + open_.size());
  for (const auto& [destination, tasks] : parked_) blocked.push_back(destination);
  const Time now = effects_.clock.now();
  for (const auto& [destination, probe] : open_) {
    if (!parked_.contains(destination) && breaker_.retry_at(destination, now) > now)
      blocked.push_back(destination);
  }
  return blocked;
}

}  // namespace waybill::worker
