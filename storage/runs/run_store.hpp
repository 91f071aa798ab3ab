#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/runs/batch.hpp"
#include "storage/runs/queue_floors.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// The code of a run that waits for the window of its workflow.
inline constexpr std::string_view window_code = "WINDOW";
/// The code of a run that waits for a binary that can read its workflow.
inline constexpr std::string_view unreadable_code = "WORKFLOW_UNREADABLE";

/// The decision of a workflow's window, limit and rate about a claimed run.
struct Pace {
  enum class Kind : std::uint8_t {
    go,
    window,   // waits until the window opens
    rate,     // waits until its destination may get a further request
    locked,   // waits, because another session has locked its row
    limited,  // ends, because the limit is reached
    expired,  // ends, because it would wait longer than its event is kept
  };
  Kind kind = Kind::go;
  Time until{};                           // for `window`, `rate` and `locked`
  std::optional<Time> start_before = {};  // a run that starts later is paced again
};

/// A run claimed from the queue.
struct ClaimedRun {
  Run run;
  bool conditions_failed = false;     // after its delay its conditions no longer hold
  std::string failed_condition = {};  // names the one that failed, with its value then; empty: not known
  bool is_unjudged = false;           // they failed because they need too much work
  bool record_gone = false;           // after its delay its record is deleted
  bool missed_window = false;         // its window was closed when it was made, and it did not wait as such
  bool version_unreadable = false;    // this binary cannot read the version of its workflow, or its steps
  bool rendered = false;              // it was queued without its texts and has them now
  bool goes_on = false;               // it continues after a step whose end is not stored yet
  std::optional<std::uint64_t> watch_after = {};  // later events of its record concern the run
  Pace pace = {};
  std::chrono::steady_clock::time_point claimed_at{};  // just before the claim
  RunStatus previous_status;  // waiting, queued or retrying; running if its worker was lost during an attempt
};

/// The runs of one claim.
struct Claim {
  std::vector<ClaimedRun> runs;
  std::uint64_t workflow_epoch = 0;  // epoch of the workflows in the snapshot of the claim; 0 without runs
};

/// A new ordered run of an event, and the event at which the search for the runs before it can end, if one is
/// known.
struct OrderedRun {
  const RunKey* key;
  std::optional<std::uint64_t> ordered_from = {};
};

/// Returns the positions of the runs that an earlier run of their workflow and record in the queue keeps
/// waiting. Throws DatabaseUnavailable or StatementError.
std::vector<std::size_t> find_preceded(Session& session, std::span<const OrderedRun> runs);

/// Reads and writes the queue of runs; Recording writes what follows from an attempt. All methods throw
/// DatabaseUnavailable or StatementError.
class RunStore {
 public:
  RunStore(Session& session, Guid worker) : session_(session), worker_(worker) {}

  /// True if the queue has a run that is not held.
  bool has_runs();

  /// Bounds of a claim.
  struct ClaimLimits {
    Duration lease;
    std::size_t per_destination;
    std::size_t runs;
    std::size_t bytes;  // size of requests, bodies and `tries`; the last run may exceed it
    std::span<const std::string> blocked_destinations;
    std::span<const Guid> blocked_businesses;
    QueueFloors floors = {};
  };
  Claim claim(const ClaimLimits& limits);

  /// Stores the steps that claimed runs begin: their progress, attempts, action, destination and texts.
  /// Renews their lease. Returns the runs that this worker still holds; the others must not be performed. Not
  /// within a transaction.
  std::vector<Guid> begin_steps(std::span<const Run* const> runs, Duration lease);

  /// Bounds of a search for the next due run.
  struct NextLimits {
    Duration within;  // the farthest due time, from now on
    std::span<const std::string> blocked_destinations;
    std::span<const Guid> blocked_businesses;
    QueueFloors floors = {};
  };
  /// Returns when the first run became due or the next one becomes due. Null if there is none.
  std::optional<Time> next_due(const NextLimits& limits);

  /// Returns the times to which the floors can be raised: of each, the due time of the first run from it on,
  /// but no later than a second ago.
  std::vector<Time> highest_floors(const QueueFloors& floors);

  /// Returns the first workflows after `after`, at most `limit`, that have postponed matches.
  std::vector<Guid> workflows_with_postponed(const Guid& after, std::size_t limit);
  /// Deletes and returns postponed matches of a workflow in the order of their events. They stay locked until
  /// the transaction ends.
  std::vector<PostponedMatch> take_postponed(const Guid& workflow, std::size_t limit);
  /// Stores matches to be made later.
  void postpone(std::span<const PostponedMatch> matches);
  /// Queues the runs of events that were matched late, and stores those that are final at once.
  void queue(const std::vector<Run>& runs);

  /// Releases this worker's claimed runs, which are then due for all workers.
  void release();

 private:
  void read_depths(std::vector<ClaimedRun>& claimed);

  Session& session_;
  Guid worker_;
};

}  // namespace waybill::storage
