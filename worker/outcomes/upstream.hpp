#pragma once

#include <vector>

#include "storage/events/outbox.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/outcomes/outcome_queue.hpp"

namespace waybill::worker {

/// The way from the parts of a pipeline that perform and record runs back to those that find and prepare
/// them.
class Upstream {
 public:
  virtual ~Upstream() = default;
  /// A batch is written: these events are settled, by this worker or earlier by another, and the next run and
  /// timer are due at these times. Called on the recorder's thread.
  virtual void settled(const std::vector<storage::EventKey>& events, const NextDue& next_due) = 0;
  /// Takes over a run to begin its next step before the end of its last step is stored. Returns false if it
  /// does not take the run. Called by any thread, without a lock.
  virtual bool go_on(storage::ClaimedRun run) = 0;
  /// There may be room for more runs. Called on the thread of the preparation.
  virtual void note_room() = 0;
};

}  // namespace waybill::worker
