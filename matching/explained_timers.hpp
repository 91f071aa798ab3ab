#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "matching/due_times.hpp"
#include "matching/explain.hpp"
#include "matching/explanation_bounds.hpp"
#include "matching/past.hpp"
#include "matching/past_workflows.hpp"

namespace waybill::matching {

/// The time at which a timer of a workflow is due.
using DueOfWorkflow = std::pair<Guid, Time>;

/// The timers of a record that wait or came due, and the runs of schedules for it.
std::set<DueOfWorkflow> known_timers(storage::Session& session, const Guid& business, const Guid& entity,
                                     std::size_t limit);

/// Explains the timers of `known_timers`. `newest` is the last change of the record; it may be null.
std::vector<ExplainedEvent> explain_timers(storage::Session& session, const Guid& business,
                                           const Guid& entity, const PastChange* newest, std::size_t limit,
                                           ExplanationBounds& bounds);

/// The coming ticks of the schedules whose query the record meets. A schedule that will run for the record is
/// left out if a run that it made is among `timers`.
std::vector<ExplainedEvent> explain_schedules(storage::Session& session, const Guid& business,
                                              const Guid& entity, domain::EntityType type,
                                              const PastChange* newest, std::size_t limit,
                                              const std::vector<ExplainedEvent>& timers,
                                              ExplanationBounds& bounds);

/// The timers that a change moved before they were due, and those whose time had passed when it set their
/// field.
std::vector<ExplainedEvent> timers_of_change(PastReader& reader, DueTimes& times, const PastChange& change,
                                             const std::vector<PastWorkflow>& workflows);

/// The timers that are not set because the record has no value for their field, as of its last change.
std::vector<ExplainedEvent> timers_without_value(const PastChange& newest,
                                                 const std::vector<PastWorkflow>& workflows);

}  // namespace waybill::matching
