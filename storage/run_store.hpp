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

/// An event to be matched with a workflow later, once the workflow is readable.
struct PostponedMatch {
  Guid business_id;
  Guid workflow_id;
  std::uint64_t event_id;
  Time at;  // of the event
};

/// A matched event and its runs. Final runs go to the history, the others to the queue. A running run is
/// queued with this worker's lease until `state.at`.
struct SettledEvent {
  std::int16_t shard;
  EventKey key;
  std::vector<Run> runs;
  std::vector<PostponedMatch> postponed = {};
  std::shared_ptr<const void> memory = {};  // owns the texts of the runs
};

/// The texts of a run that was queued without them.
struct Rendering {
  std::string request;
  std::optional<std::string> body;
};

/// The next state of a run that this worker claimed.
struct QueuedOutcome {
  Guid business_id;
  Guid guid;
  RunState state;
  std::optional<Rendering> rendering = {};  // stored with the run
  std::shared_ptr<const void> memory = {};  // owns the texts of the rendering
};

struct Batch {
  std::vector<SettledEvent> events;
  std::vector<QueuedOutcome> outcomes;
  /// Makes each status change behind a savepoint, so that its result reports a refusal by the database.
  bool with_savepoints = false;
  bool empty() const { return events.empty() && outcomes.empty(); }
};

/// The result of `record`. An event whose shard this worker has lost is not recorded, nor are its runs.
struct Recorded {
  std::size_t events = 0;
  std::vector<RunState> changed;  // of the runs that requested a status change
};

/// Returns the next state of a run that requested a status change, given the result of the change.
using JudgeChange = std::function<RunState(const RunState&, const StatusChangeResult&)>;

/// A run claimed from the queue.
struct ClaimedRun {
  Run run;
  bool conditions_failed = false;  // after its delay its conditions no longer hold
  bool record_gone = false;        // after its delay its record is deleted
  bool rendered = false;           // it was queued without its texts and has them now
  RunStatus previous_status;  // waiting, queued or retrying; running if its worker was lost during an attempt
};

/// Writes the history and the queue of runs. `record` is one transaction: all of a batch or nothing. All
/// methods throw DatabaseUnavailable or StatementError. After DatabaseUnavailable it is unknown whether a
/// batch was recorded; it can be recorded again on a new session, which skips what is already recorded.
class RunStore {
 public:
  RunStore(Session& session, Guid worker) : session_(session), worker_(worker) {}

  /// Status changes that runs request are part of the transaction and run one after another, those of one
  /// event in order of the creation of their workflows. A lock conflict postpones the event's later changes.
  Recorded record(const Batch& batch, const JudgeChange& judge);

  /// Bounds of a claim.
  struct ClaimLimits {
    Duration lease;
    std::size_t per_destination;
    std::size_t runs;
    std::size_t bytes;  // of requests, bodies and `tries`; the last run may exceed it
    std::span<const std::string> blocked_destinations;
    std::span<const Guid> blocked_businesses;
  };
  std::vector<ClaimedRun> claim(const ClaimLimits& limits);

  /// Returns when the next run is due, without those of blocked destinations and businesses.
  std::optional<Time> next_due(std::span<const std::string> blocked_destinations,
                               std::span<const Guid> blocked_businesses);

  /// Returns at most `limit` workflows that have postponed matches.
  std::vector<Guid> workflows_with_postponed(std::size_t limit);
  /// Deletes and returns postponed matches of a workflow in the order of their events. They stay locked until
  /// the transaction ends.
  std::vector<PostponedMatch> take_postponed(const Guid& workflow, std::size_t limit);
  /// Queues the runs of postponed matches.
  void queue(const std::vector<Run>& runs);

  /// Releases this worker's claimed runs, which are then due for all workers.
  void release();

 private:
  class Changes;
  void settle(const Batch& batch, Changes& changes, Recorded& recorded);
  std::vector<QueuedOutcome> after_changes(const std::vector<QueuedOutcome>& outcomes, Changes& changes);
  template <typename S>
  void finish(const std::vector<QueuedOutcome>& outcomes, bool are_final);
  void postpone(const std::vector<const PostponedMatch*>& matches);
  void read_depths(std::vector<ClaimedRun>& claimed);

  Session& session_;
  Guid worker_;
};

}  // namespace waybill::storage
