#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/digests.hpp"
#include "storage/runs/run.hpp"
#include "storage/runs/timers.hpp"
#include "storage/runs/watches.hpp"

namespace waybill::storage {

/// An event to be matched with a workflow later, once the workflow is readable.
struct PostponedMatch {
  Guid business_id;
  Guid workflow_id;
  std::uint64_t event_id;
  Time at;  // time of the event
};

/// A matched event, its runs, and what digests collect of it. Final runs go to the history, the others to the
/// queue. A running run is queued with this worker's lease until `state.at`.
struct SettledEvent {
  std::int16_t shard;
  EventKey key;
  std::vector<Run> runs;
  std::vector<PostponedMatch> postponed = {};
  std::shared_ptr<const void> memory = {};  // owns the texts of the runs
  std::vector<TimerChange> timers = {};
  std::vector<WatchEnd> watch_ends = {};  // what the event does to open runs of its record
  std::vector<CollectedItem> collected = {};
  std::uint64_t epoch = 0;                              // of the lease of the shard
  std::vector<std::shared_ptr<const void>> holds = {};  // released once the event is recorded or dropped
};

/// The texts of a run that was queued without them.
struct Rendering {
  std::string request;
  std::optional<std::string> body;
  std::vector<Guid> addresses = {};  // as those of RunKey
};

/// The next state of a run that this worker claimed.
struct QueuedOutcome {
  QueuedKey key;
  RunState state;
  std::optional<Rendering> rendering = {};  // stored with the run
  std::shared_ptr<const void> memory = {};  // owns the texts of the rendering
  bool ordered = false;                     // the next run of the record waits for its end
};

struct Batch {
  std::vector<SettledEvent> events;
  std::vector<QueuedOutcome> outcomes;
  /// Makes each change of records behind a savepoint, so that its result reports a refusal by the database.
  bool with_savepoints = false;
  bool empty() const { return events.empty() && outcomes.empty(); }
};

}  // namespace waybill::storage
