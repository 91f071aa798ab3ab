#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "domain/conditions/conditions.hpp"
#include "matching/past.hpp"

namespace waybill::matching {

/// The effect of one event or timer on one workflow.
struct ExplainedWorkflow {
  Guid guid;
  std::string name;
  bool fired = false;
  std::optional<Guid> run;  // the run it caused or is part of, even if held or not performed
  /// The reason that it did not fire: switched_off, other_trigger, condition, loop, paused, newer_than_event,
  /// notifications_off or limited (its run was skipped), window (its run waits), timer_waiting (its timer or
  /// tick is still to come), timer_moved, timer_passed (the time had passed when its field was set),
  /// no_value (the field of its timer is empty), too_much_work (its conditions need too much of it),
  /// too_large or unreadable (the record as of the event; a workflow that it may concern has a dead run).
  /// digest (it is collected and its run is still to begin), digest_dropped (it was collected and will be in
  /// no run: the workflow was deleted or the person erased). Empty if it fired or if the event is not matched
  /// yet.
  std::string_view reason;
  std::vector<domain::ConditionResult> conditions;  // by the version at the event; empty if all are newer,
                                                    // or after about a second of work in total
  json::value steps = {};                  // steps of the run, as the API shows them; null without a run
  std::optional<Time> due = std::nullopt;  // time of a timer or tick, or of an open digest
};

struct ExplainedEvent {
  std::optional<std::uint64_t> id;  // nullopt for a timer or a schedule; see `triggers`
  Time at;  // time of the event; of a timer when it is due, moved or set; without a value, of the last event
  std::vector<std::string_view> triggers;  // the codes of the triggers that fired; none if it is not known
  std::vector<ExplainedWorkflow> workflows;
};

/// The last events of a record, newest first, with their effect on each workflow of its type. Before the
/// newest events also its timers: those that wait, came due, were moved or were set too late, or whose field
/// is empty; the runs of schedules for it; and the coming ticks of schedules whose query it meets but that
/// have made no run, or will make none. Ends early, but with one event at least, if the compared values are
/// large; a note replaces the further large values of this event. Returns nullopt if the business does not
/// have the record and no stored event names it. Throws DatabaseUnavailable or StatementError.
std::optional<std::vector<ExplainedEvent>> explain(storage::Session& session, const Guid& business,
                                                   const Guid& entity, storage::PastEvents::Latest latest);

}  // namespace waybill::matching
