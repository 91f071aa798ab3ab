#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "domain/records/change.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/unreadable.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// A planned run: the stored part, and the request for its action.
struct PlannedRun {
  storage::Run run;
  json::object request;
  bool is_paused = false;  // true if its workflow is paused
  bool is_paced =
      false;  // true if its workflow has a window, a limit or a rate, so that it begins in the queue
  int working_days = 0;  // of its delay, which add_working_days adds to its time
};

/// An event, the runs it causes, and what digests collect of it. Most events cause none.
struct MatchedEvent {
  std::int16_t shard;
  storage::EventKey key;
  std::vector<PlannedRun> runs;
  // True if the last worker may have crashed because of the event: its runs then go through the queue, which
  // counts their attempts.
  bool orphan = false;
  std::vector<storage::PostponedMatch> postponed = {};  // workflows unreadable or left for later
  std::vector<storage::TimerChange> timers = {};
  std::vector<storage::WatchEnd> watch_ends = {};  // what the event does to open runs of its record
  bool ends_queued_runs = false;                   // some of them are in the queue
  std::vector<storage::CollectedItem> collected = {};
  std::uint64_t epoch = 0;  // of the lease of the shard
  bool may_begin = false;   // keeps_order, and no run in the queue precedes its ordered runs
};

/// True if a run goes to the database's queue with its event, without an attempt.
bool goes_to_queue(const PlannedRun& planned);

/// True if an event has ordered runs and all of them can be attempted before they are recorded. A change of a
/// record is made when it is recorded, so its run cannot.
bool keeps_order(const MatchedEvent& event);

/// Plans the run that `event` causes through `workflow`, at `now`. The same event and workflow always give
/// the same run guid. A run that cannot be rendered is dead. `fired` are the triggers that the event meets.
PlannedRun plan_run(const storage::StoredEvent& event, const domain::Change& change,
                    const domain::TriggerSet& fired, const Workflow& workflow, Time now);

/// Plans the run of a workflow whose conditions need too much work for the event: it is dead.
PlannedRun refuse_run(const storage::StoredEvent& event, const domain::TriggerSet& fired,
                      const Workflow& workflow, Time now);

/// Plans the run of a workflow for an event that cannot be handled: it is dead. `possible` are the triggers
/// that the event may meet; the workflow has one of them.
PlannedRun end_unreadable(const storage::StoredEvent& event, const domain::TriggerSet& possible,
                          const Workflow& workflow, const matching::Unreadable& problem, Time now);

/// The final state of a run whose record cannot be handled.
storage::RunState unreadable_state(storage::RunState state, const matching::Unreadable& problem, Time now);

/// The final state of a run that would wait for a working day that the calendar does not have.
storage::RunState no_working_day_state(storage::RunState state);

/// The code of a run, or a step, whose mail was for an erased person, or that uses an erased answer.
inline constexpr std::string_view erased_code = "ERASED";
/// The final state of a run, or of its step, whose mail was for a person who was erased.
storage::RunState erased_state(storage::RunState state, Time now);
/// True for the request of a mail without a valid recipient.
bool has_no_recipient(const actions::Action& action, const json::object& request);

/// The final state of a run whose conditions, or those of its step, need too much work for the record.
storage::RunState unjudged_state(storage::RunState state, Time now);

/// Like plan_run, but without the texts (storage::is_deferred). All runs of several steps begin like this.
PlannedRun defer_run(const storage::StoredEvent& event, const domain::TriggerSet& fired,
                     const Workflow& workflow, Time now);

/// Renders the texts of `run` (request and body) with the action and definition of `workflow`. Also stores
/// the request in `request`. A run that cannot be rendered becomes dead.
void render_run(const storage::StoredEvent& event, const domain::Change& change, const Workflow& workflow,
                storage::Run& run, json::object& request);

/// The name of a run's destination in the queue: the action's destination; a name of the workflow's own if
/// the workflow has a rate; a shared name if the business has too many destinations. Changes of records
/// always have the action's.
std::string place_in_queue(const Workflow& workflow, const std::string& destination);

/// The addresses of a rendered mail, by which it is found later; none for another action.
std::vector<Guid> addresses_of(const Workflow& workflow, const actions::Action& action,
                               const json::object& request);

/// Sets the value by which the limit of `workflow` counts a new run, if it has one.
void limit_run(const Workflow& workflow, const json::object& entity, storage::RunKey& run);

/// Renders the texts of an action, which may be that of a step. A run that cannot be rendered becomes dead
/// and stays without texts (storage::is_deferred).
void render_action(const Workflow& workflow, const actions::Action& action, const json::object& definition,
                   const actions::EventView& event, storage::Run& run, json::object& request);

/// A timer that has come due, or a record at a tick of a schedule.
struct DueTimer {
  Guid business_id;
  Guid workflow_id;
  Guid entity_id;
  int plan;
  Time value;  // value of the field, or the tick
  Time due;
  std::uint64_t run_event;  // the id that its run has instead of an event's
  int depth = 0;            // number of changes by workflows that led to the value
};

/// An event that stands for a timer and holds no record.
storage::StoredEvent stub_of(const DueTimer& timer, const Workflow& workflow);

/// Plans the run of a timer, without the texts. The same workflow, record, value and due time always give the
/// same run guid.
PlannedRun plan_timer_run(const DueTimer& timer, const Workflow& workflow, Time now);

/// Plans the one run of a schedule's tick for `list` (`count` and `items`), with the texts of its one action.
/// `tick` has no record.
PlannedRun plan_list_run(const DueTimer& tick, json::object list, const Workflow& workflow, Time now);

/// Plans the run of a schedule's tick whose records cannot be used: it is dead and has no texts.
PlannedRun plan_dead_run(const DueTimer& tick, const char* code, const std::exception& error,
                         const Workflow& workflow, Time now);

/// True for a run that is not performed, because `depth` successive changes by workflows led to its event.
bool is_loop(const actions::Action& action, int depth);

/// The final state of a run for which is_loop is true.
storage::RunState loop_state(storage::RunState state, Time now);

}  // namespace waybill::worker
