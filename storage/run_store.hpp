#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/outbox.hpp"
#include "storage/run.hpp"
#include "storage/session.hpp"

namespace waybill::storage {

/// An event that is to be matched with a workflow later, when the workflow is readable.
struct PostponedMatch {
  Guid business_id;
  Guid workflow_id;
  std::uint64_t event_id;
  Time at;  // of the event
};

/// An event and what became of it: runs that are final go to the history, the others to the queue. A running
/// one is queued as this worker's until `state.at`.
struct SettledEvent {
  std::int16_t shard;
  EventKey key;
  std::vector<Run> runs;
  std::vector<PostponedMatch> postponed = {};
  std::shared_ptr<const void> memory = {};  // held as long as the texts of the runs
};

/// The texts of a run that was in the queue without them.
struct Rendering {
  std::string request;
  std::optional<std::string> body;
};

/// The next state of a run that this worker took from the queue.
struct QueuedOutcome {
  Guid business_id;
  Guid guid;
  RunState state;
  std::optional<Rendering> rendering = {};  // to be stored with the run
  std::shared_ptr<const void> memory = {};  // held as long as the rendering
};

struct Batch {
  std::vector<SettledEvent> events;
  std::vector<QueuedOutcome> outcomes;
  /// Each change of records behind a savepoint, so that one which the database refuses is told by its result.
  bool careful = false;
  bool empty() const { return events.empty() && outcomes.empty(); }
};

/// What `record` did. An event that was no longer this worker's to settle is not recorded, and neither are
/// its runs.
struct Recorded {
  std::size_t events = 0;
  std::vector<RunState> changed;  // of the runs that asked for a change of records
};

/// The state of a run that asked for a change, after what came of it.
using JudgeChange = std::function<RunState(const RunState&, const StatusChangeResult&)>;

/// A run taken from the queue.
struct ClaimedRun {
  Run run;
  // Its delay is over, and ...
  bool called_off = false;   // ... its conditions no longer hold
  bool record_gone = false;  // ... its record was deleted
  bool rendered = false;     // it was in the queue without its texts, and has them now
  RunStatus was;  // waiting, queued, retrying; running when its worker was lost in the middle of a try
};

/// Writes the history and the queue of runs. `record` is one transaction: all of a batch or nothing. All
/// methods throw DatabaseUnavailable or StatementError; after the first it is unknown whether a batch was
/// recorded, and recording it again on a new session is harmless: what is recorded already is left out.
class RunStore {
 public:
  RunStore(Session& session, Guid worker) : session_(session), worker_(worker) {}

  /// Changes of records that runs ask for are part of the transaction, one after another: those of an event
  /// in the order in which its workflows were made. One that cannot be made for a lock holds back the event's
  /// later ones.
  Recorded record(const Batch& batch, const JudgeChange& judge);

  /// Bounds of a claim.
  struct ClaimLimits {
    Duration lease;
    std::size_t per_destination;
    std::size_t runs;
    std::size_t bytes;  // of requests, bodies and tries; one run may go beyond
    std::span<const std::string> blocked_destinations;
    std::span<const Guid> blocked_businesses;
  };
  std::vector<ClaimedRun> claim(const ClaimLimits& limits);

  /// When the next run is due, leaving out what is blocked anyway.
  std::optional<Time> next_due(std::span<const std::string> blocked_destinations,
                               std::span<const Guid> blocked_businesses);

  /// Workflows that have postponed matches, at most `limit`.
  std::vector<Guid> workflows_with_postponed(std::size_t limit);
  /// Takes postponed matches of a workflow, in the order of their events. They are this transaction's until
  /// it ends, and gone when it commits.
  std::vector<PostponedMatch> take_postponed(const Guid& workflow, std::size_t limit);
  /// Queues runs of postponed matches.
  void queue(const std::vector<Run>& runs);

  /// Makes what this worker has taken due for everybody.
  void release();

 private:
  class Changes;
  void settle(const Batch& batch, Changes& changes, Recorded& recorded);
  std::vector<QueuedOutcome> after_changes(const std::vector<QueuedOutcome>& outcomes, Changes& changes);
  void finish(const std::vector<QueuedOutcome>& outcomes, bool final_ones);
  void postpone(const std::vector<const PostponedMatch*>& matches);
  void read_depths(std::vector<ClaimedRun>& claimed);

  Session& session_;
  Guid worker_;
};

}  // namespace waybill::storage
