#include "worker/delivery/open_events.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"

namespace waybill::worker {
namespace {

using storage::RunStatus;

bool changes_records(const TaskPtr& task) {
  return task->action != nullptr && task->action->changes_records();
}

}  // namespace

bool OpenEvent::has_open_ordered() const {
  return std::ranges::any_of(open, [](const TaskPtr& task) { return task->run.key.ordered; });
}

OpenEventPtr OpenEvents::add(storage::SettledEvent event, std::vector<TaskPtr> open, Task::Moment now,
                             const std::optional<RecordName>& ordered, bool is_behind) {
  check(!open.empty(), "an event in memory has an open run");
  auto entry =
      std::make_shared<OpenEvent>(OpenEvent{std::move(event), std::move(open), now, ordered, is_behind, {}});
  std::list<OpenEventPtr>& list = list_of(*entry);
  entry->position = list.insert(list.end(), entry);
  for (const TaskPtr& task : entry->open) task->event = entry;
  return entry;
}

void OpenEvents::begin(const OpenEventPtr& event, Task::Moment now) {
  if (!check(event->is_behind, "an event that begins was behind another one")) return;
  events_.splice(events_.end(), behind_, event->position);
  event->is_behind = false;
  event->since = now;
}

std::optional<storage::SettledEvent> OpenEvents::finish(const TaskPtr& task) {
  const OpenEventPtr event = std::move(task->event);
  require(event != nullptr, "the run of an event in memory knows its event");
  event->settled.runs.push_back(std::move(task->run));
  check(std::erase(event->open, task) == 1, "a run of an event ends once");
  if (!event->open.empty()) return std::nullopt;
  list_of(*event).erase(event->position);
  return std::move(event->settled);
}

OpenEventPtr OpenEvents::oldest(Task::Moment since, Task::Moment since_behind) const {
  if (!events_.empty() && events_.front()->since < since) return events_.front();
  if (!behind_.empty() && behind_.front()->since < since_behind) return behind_.front();
  return nullptr;
}

template <typename Wanted>
std::vector<OpenEvents::Queued> OpenEvents::queue_if(Time now, Time lease_end, Wanted wanted) {
  std::vector<OpenEventPtr> chosen;
  std::ranges::copy_if(events_, std::back_inserter(chosen), wanted);
  std::ranges::copy_if(behind_, std::back_inserter(chosen), wanted);
  std::vector<Queued> all;
  for (const OpenEventPtr& event : chosen) all.push_back(queue(event, now, lease_end));
  return all;
}

std::vector<OpenEvents::Queued> OpenEvents::queue_shards(std::span<const std::int16_t> shards, Time now,
                                                         Time lease_end) {
  return queue_if(now, lease_end, [&](const OpenEventPtr& event) {
    return std::ranges::find(shards, event->settled.shard) != shards.end();
  });
}

std::vector<OpenEvents::Queued> OpenEvents::queue_all(Time now, Time lease_end) {
  return queue_if(now, lease_end, [](const OpenEventPtr& /*event*/) { return true; });
}

OpenEvents::Queued OpenEvents::queue(const OpenEventPtr& event, Time now, Time lease_end) {
  list_of(*event).erase(event->position);
  Queued queued{.settled = std::move(event->settled), .withdrawn = {}, .ordered = {}};
  const auto keeps_waiting = [](const storage::Run& run) {
    return run.key.ordered && run.state.status != RunStatus::succeeded;
  };
  if (event->has_open_ordered() || std::ranges::any_of(queued.settled.runs, keeps_waiting))
    queued.ordered = event->ordered;
  // The changes of records by one event are made in the order of its workflows. While one of them is open,
  // those that were to be made with the event wait in the database's queue too.
  if (std::ranges::any_of(event->open, changes_records)) {
    for (storage::Run& run : queued.settled.runs) {
      if (!run.state.change) continue;
      run.state.change = nullptr;
      run.state.status = RunStatus::queued;
      run.state.at = now;
    }
  }
  for (const TaskPtr& task : event->open) {
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
  event->open.clear();
  return queued;
}

}  // namespace waybill::worker
