#include "worker/delivery/open_events.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace waybill::worker {
namespace {

using storage::RunStatus;

bool changes_records(const TaskPtr& task) {
  return task->action != nullptr && task->action->changes_records();
}

}  // namespace

void OpenEvents::add(storage::SettledEvent event, std::vector<TaskPtr> open, Task::Moment now) {
  check(!open.empty(), "an event in memory has an open run");
  const auto entry = std::make_shared<OpenEvent>(OpenEvent{std::move(event), std::move(open), now, {}});
  entry->position = events_.insert(events_.end(), entry);
  for (const TaskPtr& task : entry->open) task->event = entry;
}

std::optional<storage::SettledEvent> OpenEvents::finish(const TaskPtr& task) {
  const std::shared_ptr<OpenEvent> event = std::move(task->event);
  require(event != nullptr, "the run of an event in memory knows its event");
  event->settled.runs.push_back(std::move(task->run));
  check(std::erase(event->open, task) == 1, "a run of an event ends once");
  if (!event->open.empty()) return std::nullopt;
  events_.erase(event->position);
  return std::move(event->settled);
}

std::optional<OpenEvents::Queued> OpenEvents::queue_oldest(Task::Moment since, Time now, Time lease_end) {
  if (events_.empty() || events_.front()->since >= since) return std::nullopt;
  Queued queued = queue(*events_.front(), now, lease_end);
  events_.pop_front();
  return queued;
}

std::vector<OpenEvents::Queued> OpenEvents::queue_shards(std::span<const std::int16_t> shards, Time now,
                                                         Time lease_end) {
  std::vector<Queued> all;
  std::erase_if(events_, [&](const std::shared_ptr<OpenEvent>& event) {
    if (std::ranges::find(shards, event->settled.shard) == shards.end()) return false;
    all.push_back(queue(*event, now, lease_end));
    return true;
  });
  return all;
}

std::vector<OpenEvents::Queued> OpenEvents::queue_all(Time now, Time lease_end) {
  std::vector<Queued> all;
  for (const auto& event : events_) all.push_back(queue(*event, now, lease_end));
  events_.clear();
  return all;
}

OpenEvents::Queued OpenEvents::queue(OpenEvent& event, Time now, Time lease_end) {
  Queued queued{.settled = std::move(event.settled), .withdrawn = {}};
  // The changes of records by one event are made in the order of its workflows. While one of them is open,
  // those that were to be made with the event wait in the database's queue too.
  if (std::ranges::any_of(event.open, changes_records)) {
    for (storage::Run& run : queued.settled.runs) {
      if (!run.state.change) continue;
      run.state.change = nullptr;
      run.state.status = RunStatus::queued;
      run.state.at = now;
    }
  }
  for (const TaskPtr& task : event.open) {
    task->event.reset();
    if (task->place == Task::Place::in_flight) {
      storage::Run& run = queued.settled.runs.emplace_back(task->run);
      run.state.status = RunStatus::running;
      run.state.at = lease_end;
    } else {
      storage::Run& run = queued.settled.runs.emplace_back(std::move(task->run));
      run.state.at = now;
      queued.withdrawn.push_back(task);
    }
  }
  event.open.clear();
  return queued;
}

}  // namespace waybill::worker
