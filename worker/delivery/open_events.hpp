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
#include "worker/delivery/unrecorded_records.hpp"

namespace waybill::worker {

/// An event in memory with runs that are not over.
struct OpenEvent {
  storage::SettledEvent settled;  // with the runs that are over
  std::vector<TaskPtr> open;
  Task::Moment since;
  std::optional<RecordName> ordered;  // the record of its ordered runs, if it has any
  bool is_behind = false;             // its ordered runs wait for those of an earlier event of the record
  std::list<std::shared_ptr<OpenEvent>>::iterator position;

  /// True if an ordered run of it is not over.
  bool has_open_ordered() const;
};
using OpenEventPtr = std::shared_ptr<OpenEvent>;

/// The events in memory that wait for their runs, oldest first. An event is settled together with all of its
/// runs: when the last one is over, or, when that takes too long, with the rest as runs for the database's
/// queue. The time of an event that is behind another one counts by itself: it begins anew with its turn.
/// Pure; one thread at a time.
class OpenEvents {
 public:
  /// An event that waits no longer. Its runs in flight are queued as running until the end of their lease.
  struct Queued {
    storage::SettledEvent settled;
    std::vector<TaskPtr> withdrawn;     // tasks that had not started; their runs are in `settled` now
    std::optional<RecordName> ordered;  // set unless all its ordered runs have succeeded
  };

  /// Keeps an event until its open tasks are over, of which there is at least one.
  OpenEventPtr add(storage::SettledEvent event, std::vector<TaskPtr> open, Task::Moment now,
                   const std::optional<RecordName>& ordered = {}, bool is_behind = false);
  /// Notes that an event is no longer behind another one.
  void begin(const OpenEventPtr& event, Task::Moment now);

  /// Notes that a task of an event is over; `task->run` has its new state. Returns the event if this was its
  /// last open task.
  std::optional<storage::SettledEvent> finish(const TaskPtr& task);

  /// The oldest event if it is older than `since`, or else the oldest of those behind another one if it is
  /// older than `since_behind`. Null if there is none.
  OpenEventPtr oldest(Task::Moment since, Task::Moment since_behind) const;
  /// Gives up waiting for an event. Its runs are due at `now`; a run in flight counts as lost from
  /// `lease_end` on.
  Queued queue(const OpenEventPtr& event, Time now, Time lease_end);
  /// Gives up waiting for the events of these shards. Those of a record are in their order.
  std::vector<Queued> queue_shards(std::span<const std::int16_t> shards, Time now, Time lease_end);
  /// Gives up waiting for all. Those of a record are in their order.
  std::vector<Queued> queue_all(Time now, Time lease_end);

 private:
  template <typename Wanted>
  std::vector<Queued> queue_if(Time now, Time lease_end, Wanted wanted);
  std::list<OpenEventPtr>& list_of(const OpenEvent& event) { return event.is_behind ? behind_ : events_; }

  std::list<OpenEventPtr> events_;  // by `since`, without those of behind_
  std::list<OpenEventPtr> behind_;  // by `since`
};

}  // namespace waybill::worker
