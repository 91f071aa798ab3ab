#pragma once

#include <span>

#include "storage/session/session.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// Adds the delays that count working days to the times of planned runs, by the calendars of their
/// businesses. A run without such a day is dead with code EXPIRED. Throws DatabaseUnavailable or
/// StatementError.
void add_working_days(storage::Session& session, std::span<PlannedRun* const> runs);

}  // namespace waybill::worker
