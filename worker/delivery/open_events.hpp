#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/delivery/task.hpp"

namespace waybill::worker {

/// An event in memory with runs that are not over.
struct OpenEvent {
  storage::SettledEvent settled;  // with the runs that are over
  std::vector<TaskPtr> open;
  Task::Moment since;
  std::list<std::shared_ptr<OpenEvent>>::iterator position;
};

/// The events in memory that wait for their runs, oldest first. An event is settled together with all of its
/// runs: when the last one is over, or, when that takes too long, with the rest as runs for the database's
/// queue. Pure; one thread at a time.
class OpenEvents {
 public:
  /// An event that waits no longer. Its runs in flight are queued as running until the end of their lease.
  struct Queued {
    storage::SettledEvent settled;
    std::vector<TaskPtr> withdrawn;  // tasks that had not started; their runs are in `settled` now
  };

  /// Keeps an event until its open tasks are over, of which there is at least one.
  void add(storage::SettledEvent event, std::vector<TaskPtr> open, Task::Moment now);

  /// Notes that a task of an event is over; `task->run` has its new state. Returns the event if this was its
  /// last open task.
  std::optional<storage::SettledEvent> finish(const TaskPtr& task);

  /// Gives up waiting for the oldest event if it is older than `since`; null if it is not. Its runs are due
  /// at `now`; a run in flight counts as lost from `lease_end` on.
  std::optional<Queued> queue_oldest(Task::Moment since, Time now, Time lease_end);
  /// Gives up waiting for the events of these shards.
  std::vector<Queued> queue_shards(std::span<const std::int16_t> shards, Time now, Time lease_end);
  /// Gives up waiting for all.
  std::vector<Queued> queue_all(Time now, Time lease_end);

 private:
  static Queued queue(OpenEvent& event, Time now, Time lease_end);

  std::list<std::shared_ptr<OpenEvent>> events_;
};

}  // namespace waybill::worker
