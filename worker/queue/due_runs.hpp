#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/queue/due_floors.hpp"
#include "worker/queue/look_times.hpp"
#include "worker/queue/preparation.hpp"
#include "worker/queue/run_intake.hpp"
#include "worker/threads/look_pause.hpp"

namespace waybill::worker {

/// Claims due runs from the database's queue. A crash loses nothing: claims end with their lease.
///
/// `note_due` and `note_room` may be called by any thread, the others on the pump thread only. Methods with a
/// session throw DatabaseUnavailable or StatementError, after which nothing is half done.
class DueRuns {
 public:
  struct Options {
    Guid worker;
    std::size_t batch = 256;
    std::size_t per_destination = 32;
    std::size_t bytes = 8UL * 1024 * 1024;
    Duration retention = std::chrono::days(30);  // retention of events
  };

  DueRuns(const Options& options, const Catalogue& catalogue, WorkflowFollower& workflows, Runner& runner,
          Preparation& preparation, DueFloors& floors, const Clock& clock);

  /// Notes when a run in the queue is due, and that runs may have left memory. Returns true if the pump
  /// should look.
  bool note_due(std::optional<Time> due);
  /// Notes that runs have left the preparation. Returns true if the pump should look.
  bool note_room();
  /// Must be called after the connection was lost: another server can have runs that this one had not, or
  /// another time.
  void reconnected() { floors_.clear(); }
  /// Makes the next `claim` query the queue even if no run is known to be due.
  void look_again() {
    const Lock lock(mutex_);
    times_.look_again();
  }
  /// As `look_again`, after a notification that runs are due: released ones have the due times that they had
  /// before.
  void notified() {
    floors_.clear_if_cheap();
    look_again();
  }

  /// Claims runs if any may be due. Returns true if it found some, or has some to check.
  bool claim(storage::Session& session);
  /// Puts the runs that are not checked back into the database's queue. `claim` is not called again.
  void stop() { intake_.stop(); }
  /// The latest time of the next look.
  Time next_look() const;

 private:
  struct Blocked {
    std::vector<std::string> destinations;
    std::vector<Guid> businesses;
  };
  std::optional<std::vector<Guid>> begin_look(Time now, std::chrono::steady_clock::time_point began);
  Blocked blocked_now(std::vector<Guid> full, Time now);
  storage::Claim claim_from(storage::RunStore& store, const Blocked& blocked,
                            const storage::QueueFloors& floors);
  void raise_floors(storage::RunStore& store, const storage::QueueFloors& floors, Time now);

  const Options options_;
  Runner& runner_;
  Preparation& preparation_;
  DueFloors& floors_;
  bool has_found_ = false;  // runs, in the last look
  const Clock& clock_;
  RunIntake intake_;
  Time next_raise_{};
  LookPause pause_;
  // The locks of the preparation and of the runner are taken under this one, never the other way round, so
  // that waits_for_room_ is set before room that `claim` did not find can become free.
  mutable Mutex mutex_;
  // The businesses that the last claim left out, because the preparation has many runs.
  std::vector<Guid> full_ GUARDED_BY(mutex_);
  LookTimes times_ GUARDED_BY(mutex_);
  bool waits_for_room_ GUARDED_BY(mutex_) = false;
};

}  // namespace waybill::worker
