#include "worker/delivery/destination_queues.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace waybill::worker {
namespace {

constexpr Duration look_every = std::chrono::milliseconds(250);

bool is_gone(const TaskPtr& task) { return task->place == Task::Place::gone; }

void drop_gone(std::deque<TaskPtr>& tasks) {
  while (!tasks.empty() && is_gone(tasks.front())) tasks.pop_front();
}

}  // namespace

void DestinationQueues::add(TaskPtr task) {
  const Guid guid = task->business();
  Business& business = businesses_[guid];
  business.arrived.push_back(std::move(task));
  give_turn(guid, business);
}

TaskPtr DestinationQueues::next(Time now) {
  while (places_.free() > 0 && !turns_.empty()) {
    const Guid guid = turns_.front();
    turns_.pop_front();
    Business& business = businesses_.at(guid);
    business.has_turn = false;
    if (!places_.may_take(guid)) {
      wait_for_share(guid, business);
      continue;
    }
    TaskPtr task = next_of(business, now);
    give_turn(guid, business);
    forget_if_idle(guid);
    if (!task) continue;
    places_.take(guid);
    task->place = Task::Place::in_flight;
    return task;
  }
  return nullptr;
}

/// A task that may start, with a place at its destination; null if there is none.
TaskPtr DestinationQueues::next_of(Business& business, Time now) {
  while (!business.arrived.empty() || !business.freed.empty()) {
    const bool is_blocked = !business.freed.empty() && (business.blocked_next || business.arrived.empty());
    business.blocked_next = !is_blocked;
    if (TaskPtr task = is_blocked ? next_blocked(business, now) : next_arrived(business, now)) return task;
  }
  return nullptr;
}

TaskPtr DestinationQueues::next_blocked(Business& business, Time now) {
  std::string destination = std::move(business.freed.front());
  business.freed.pop_front();
  const auto blocked = blocked_.find(destination);
  if (blocked == blocked_.end()) return nullptr;
  std::deque<TaskPtr>& tasks = blocked->second.tasks;
  drop_gone(tasks);
  const auto next = std::ranges::find_if(tasks, [&](const TaskPtr& task) {
    return !is_gone(task) && destinations_.may_probe(task->run.key, now);
  });
  if (next == tasks.end() || !destinations_.try_start((*next)->run.key, (*next)->limit(), now)) {
    blocked->second.has_place = false;
    if (tasks.empty()) blocked_.erase(blocked);
    return nullptr;
  }
  TaskPtr task = std::move(*next);
  tasks.erase(next);
  business.freed.push_back(std::move(destination));  // behind the business's others
  return task;
}

TaskPtr DestinationQueues::next_arrived(Business& business, Time now) {
  TaskPtr task = std::move(business.arrived.front());
  business.arrived.pop_front();
  if (is_gone(task)) return nullptr;
  const std::string& destination = task->destination();
  if (destination.empty()) return task;
  if (!blocked_.contains(destination) && destinations_.try_start(task->run.key, task->limit(), now))
    return task;
  std::deque<TaskPtr>& tasks = blocked_[destination].tasks;  // before the task, and with it the name, moves
  tasks.push_back(std::move(task));
  return nullptr;
}

bool DestinationQueues::ended(const Task& task, bool failed, Time now) {
  const bool opened = !task.destination().empty() && destinations_.ended(task.run.key, failed, now);
  place_freed(task);
  return opened;
}

void DestinationQueues::released(const Task& task, Time now) {
  if (!task.destination().empty()) destinations_.released(task.destination(), now);
  place_freed(task);
}

/// Returns the place of a task: gives a turn to its destination's business and to the businesses with the
/// fewest places that wait for their share.
void DestinationQueues::place_freed(const Task& task) {
  check(task.place == Task::Place::in_flight, "only a run in flight has a place");
  const auto blocked = blocked_.find(task.destination());
  if (blocked != blocked_.end() && !blocked->second.has_place && !blocked->second.tasks.empty()) {
    const Guid guid = blocked->second.tasks.front()->business();
    blocked->second.has_place = true;
    Business& business = businesses_[guid];
    business.freed.push_back(task.destination());
    give_turn(guid, business);
  }
  places_.release(task.business());
  const auto own = businesses_.find(task.business());
  if (own != businesses_.end() && own->second.waits_at) {
    at_share_.erase({*own->second.waits_at, task.business()});
    wait_for_share(task.business(), own->second);
  }
  while (!at_share_.empty() && places_.may_take(at_share_.begin()->second)) {
    const Guid guid = at_share_.begin()->second;
    at_share_.erase(at_share_.begin());
    Business& business = businesses_.at(guid);
    business.waits_at.reset();
    give_turn(guid, business);
  }
}

void DestinationQueues::give_turn(const Guid& guid, Business& business) {
  if (business.has_turn || business.waits_at || (business.arrived.empty() && business.freed.empty())) return;
  business.has_turn = true;
  turns_.push_back(guid);
}

void DestinationQueues::wait_for_share(const Guid& guid, Business& business) {
  business.waits_at = places_.held(guid);
  at_share_.emplace(*business.waits_at, guid);
}

void DestinationQueues::forget_if_idle(const Guid& guid) {
  const auto found = businesses_.find(guid);
  const Business& business = found->second;
  if (business.arrived.empty() && business.freed.empty() && !business.has_turn && !business.waits_at)
    businesses_.erase(found);
}

std::vector<DestinationQueues::Overdue> DestinationQueues::take_blocked(Task::Moment since, Time now,
                                                                        Time otherwise) {
  std::vector<Overdue> overdue;
  for (auto blocked = blocked_.begin(); blocked != blocked_.end();) {
    std::deque<TaskPtr>& tasks = blocked->second.tasks;
    drop_gone(tasks);
    const std::string& destination = blocked->first;
    const bool must_wait = destinations_.is_open(destination) && !destinations_.is_probing(destination, now);
    if (!tasks.empty() && (must_wait || tasks.front()->since < since)) {
      for (TaskPtr& task : tasks) {
        if (is_gone(task)) continue;
        const Time due = destinations_.next_attempt_at(task->run.key, now, otherwise);
        overdue.push_back({std::move(task), due});
      }
      tasks.clear();
    }
    blocked = tasks.empty() ? blocked_.erase(blocked) : std::next(blocked);
  }
  return overdue;
}

std::vector<TaskPtr> DestinationQueues::take_arrived(Task::Moment current, Duration patience) {
  std::vector<TaskPtr> overdue;
  if (current < next_look_) return overdue;
  next_look_ = current + look_every;
  for (auto each = businesses_.begin(); each != businesses_.end();) {
    auto& [guid, business] = *each;
    std::erase_if(business.arrived, [&](const TaskPtr& task) {
      if (is_gone(task)) return true;
      if (task->event || current - task->since <= patience) return false;
      overdue.push_back(task);
      return true;
    });
    if (!business.arrived.empty() || !business.freed.empty()) {
      ++each;
      continue;
    }
    if (business.has_turn) std::erase(turns_, guid);
    if (business.waits_at) at_share_.erase({*business.waits_at, guid});
    each = businesses_.erase(each);
  }
  return overdue;
}

std::vector<TaskPtr> DestinationQueues::take_all() {
  std::vector<TaskPtr> all;
  const auto take = [&](std::deque<TaskPtr>& tasks) {
    for (TaskPtr& task : tasks) {
      if (!is_gone(task)) all.push_back(std::move(task));
    }
  };
  for (auto& [guid, business] : businesses_) take(business.arrived);
  for (auto& [destination, queue] : blocked_) take(queue.tasks);
  businesses_.clear();
  turns_.clear();
  at_share_.clear();
  blocked_.clear();
  return all;
}

std::vector<std::string> DestinationQueues::blocked_destinations(Time now) const {
  std::vector<std::string> blocked = destinations_.awaiting_probe(now);
  std::erase_if(blocked, [&](const std::string& destination) { return blocked_.contains(destination); });
  for (const auto& [destination, queue] : blocked_) blocked.push_back(destination);
  return blocked;
}

}  // namespace waybill::worker
