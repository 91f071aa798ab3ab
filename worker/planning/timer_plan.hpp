#pragma once

#include <optional>

#include "domain/records/change.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/timers.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// The change that an event makes to the timer of a workflow for its record; nullopt if the timer stays as it
/// is. Pure.
std::optional<storage::TimerChange> timer_change(const storage::StoredEvent& event,
                                                 const domain::Change& change, const Workflow& workflow);

/// The timer of a workflow for a record that exists at `since`, when the workflow is made, or its timer or
/// the calendar is changed; nullopt if the field has no value or the time has passed. Pure.
std::optional<storage::TimerChange> timer_of_record(const Guid& record, const json::object& entity,
                                                    const Workflow& workflow, Time since);

}  // namespace waybill::worker
