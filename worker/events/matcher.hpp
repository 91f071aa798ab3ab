#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "matching/relatives.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/events/watch_matcher.hpp"
#include "worker/guard/firing_counts.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/event_plan.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// The runs and items of events that are matched late.
struct LateMatches {
  std::vector<storage::Run> runs;  // without texts
  std::vector<storage::CollectedItem> collected;
};

/// Turns events into runs: finds the triggers that fired and the workflows whose conditions hold, and plans
/// their requests. Changes nothing. The same event and workflow always give the same run guid. One thread.
class Matcher {
 public:
  /// See EventLimits.
  struct Limits {
    std::function<bool(const Guid& business)> has_memory;  // false: all runs are queued without texts
    bool may_defer = true;
    Time unrecorded_since = Time::max();  // the runs of earlier events are in the queue
  };

  /// `public_url` is that of the service, for links to tracking pages; may be empty.
  Matcher(const Catalogue& catalogue, const Clock& clock, std::string public_url)
      : catalogue_(catalogue), clock_(clock), public_url_(std::move(public_url)), watches_(catalogue) {}

  /// Matches events in the given order. An event that cannot be read, or that needs too much memory, has a
  /// dead run of each workflow that it may concern. Reads their relatives, and the rows that are not in
  /// `rows`, through `session`. When the batch reaches its limit of runs, bytes or time, later events are
  /// left out; the first is always matched. Throws DatabaseUnavailable, StatementError, or ColumnsChanged if
  /// a migration changed the tables; the call may then be repeated.
  std::vector<MatchedEvent> match(storage::Session& session, std::span<const storage::PendingEvent> events,
                                  std::vector<storage::StoredEvent> rows, const Limits& limits);

  /// Notes a new connection, whose server may have lost changes.
  void reconnected() { watches_.reconnected(); }

  /// The numbers of events that were matched since the last call.
  EventCounts take_counts() { return std::exchange(counts_, {}); }

  /// Matches events with a workflow that was unreadable, or that was not reached because conditions of
  /// earlier workflows had used up the share of the event. Throws like `match`.
  LateMatches match_postponed(storage::Session& session, const Workflow& workflow,
                              std::span<const storage::PostponedMatch> matches);

  /// Returns the changes of the timers of a workflow that was postponed in this way. Throws like `match`.
  std::vector<storage::TimerChange> postponed_timers(storage::Session& session, const Workflow& workflow,
                                                     std::span<const storage::PostponedMatch> matches);

  /// Returns what these events do to the open runs of such a workflow. Throws like `match`.
  std::vector<storage::WatchEnd> postponed_ends(storage::Session& session, const Workflow& workflow,
                                                std::span<const storage::PostponedMatch> matches);

 private:
  struct Candidate;
  struct Batch;
  using Moment = std::chrono::steady_clock::time_point;

  std::vector<MatchedEvent> match_all(storage::Session& session,
                                      std::span<const storage::PendingEvent> events,
                                      std::vector<storage::StoredEvent> rows, const Limits& limits);
  storage::RelativesWanted find_candidates(std::span<const storage::StoredEvent> stored, Batch& batch);
  void plan_candidates(const matching::RelativeIndex& relatives, const Limits& limits, Batch& batch);
  std::optional<Candidate> candidate(const storage::StoredEvent& event,
                                     std::span<const WorkflowPtr> workflows, const json::storage_ptr& memory);
  void count(std::span<const storage::PendingEvent> events, std::span<const storage::StoredEvent> stored,
             const Batch& batch);
  std::vector<PlannedRun> end_runs(Candidate& candidate);
  std::vector<storage::PostponedMatch> postponed(const storage::StoredEvent& event) const;
  std::vector<storage::TimerChange> timers(const storage::StoredEvent& event,
                                           const json::storage_ptr& memory);

  const Catalogue& catalogue_;
  const Clock& clock_;
  const std::string public_url_;
  storage::CachedColumns columns_;
  EventCounts counts_;
  WatchMatcher watches_;
};

}  // namespace waybill::worker
