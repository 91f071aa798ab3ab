#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/database_clock.hpp"
#include "base/guid.hpp"
#include "base/thread/service.hpp"
#include "base/thread/thread.hpp"
#include "storage/runs/batch.hpp"
#include "storage/runs/ended_runs.hpp"
#include "storage/runs/recording.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/outcomes/lock_limit.hpp"
#include "worker/outcomes/outcome_inbox.hpp"
#include "worker/outcomes/outcome_queue.hpp"
#include "worker/outcomes/outcomes.hpp"
#include "worker/outcomes/upstream.hpp"

namespace waybill::worker {

/// Writes outcomes to the database in batches, in their order, on a dedicated thread. A batch that cannot be
/// written is kept and written again until it succeeds; until then, entries with a lock conflict are set
/// aside. After a crash, events and runs that were not written are matched or attempted again, under the same
/// ids.
class Recorder final : public Outcomes, public Service {
 public:
  struct Options {
    storage::Sessions sessions;
    Guid worker;
    std::size_t batch_size = 500;
    Duration batch_delay = std::chrono::milliseconds(5);  // the longest wait for further outcomes
    const Clock* clock = &database_clock();
  };
  /// Reports each batch to `upstream`. Both references outlive it.
  Recorder(Options options, PauseWriter& pauses, Upstream& upstream);
  ~Recorder() override { stop_at_once(); }

  void start() override;
  /// Writes the remaining entries. While the database is unavailable, it tries until `until`.
  void stop(Moment until) override;

  void settle(storage::SettledEvent event) override { inbox_.add(std::move(event)); }
  void settle(std::vector<storage::SettledEvent> events) override { inbox_.add(std::move(events)); }
  void finish(storage::QueuedOutcome outcome) override { inbox_.add(std::move(outcome)); }
  void pause(PauseRequest request) override { pauses_.pause(std::move(request)); }
  bool is_pausing(const Guid& workflow) const override { return pauses_.is_pausing(workflow); }

  /// Waits until all earlier entries are written. Returns false if that takes longer than `limit`.
  bool flush(Duration limit) { return inbox_.flush(limit); }

 private:
  void run();
  void connect();
  storage::Recorded record_batch(const storage::Batch& batch);
  /// Returns false if the batch was dropped because the worker stops.
  bool write(storage::Batch batch);
  /// Sets the time for which the session waits for a lock that the batch meets.
  void limit_locks(const storage::Batch& batch);
  /// Sets aside the outcomes whose runs other sessions have locked. Returns false if there are none.
  bool set_locked_aside(storage::Batch& batch);
  void report(const storage::Batch& batch, const storage::Recorded& recorded) const;

  const Options options_;
  PauseWriter& pauses_;
  Upstream& upstream_;
  std::unique_ptr<storage::Session> session_;  // used by thread_ only
  LockLimit lock_limit_;                       // used by thread_ only
  storage::EndedRuns ended_;                   // used by thread_ only
  OutcomeInbox inbox_;
  Thread thread_{ThreadKind::recorder};
};

}  // namespace waybill::worker
