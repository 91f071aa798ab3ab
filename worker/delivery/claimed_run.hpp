#pragma once

#include <variant>

#include "base/clock.hpp"
#include "domain/workflows/retry.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/delivery/task.hpp"

namespace waybill::worker {

/// The lease of a claim and of an attempt in flight, at least; no attempt takes more than 25 s.
inline constexpr Duration claim_lease = std::chrono::seconds(30);
/// The time that a claimed run may wait in memory for its texts and for its attempt: both end within the
/// lease of the claim.
inline constexpr Duration claim_patience = std::chrono::seconds(4);

/// Returns a task for a run from the database's queue, or the next state of a run that is not to be
/// attempted: its workflow's window, limit or rate forbids it, it could not be rendered, one of its steps has
/// ended or waits, its conditions no longer hold, its record is gone, it is the end of a loop, its stored
/// request is unreadable, or its worker was lost during its last attempt. A lost attempt counts, so a run
/// that kills workers ends too. Pure.
std::variant<TaskPtr, storage::QueuedOutcome> open_claimed_run(storage::ClaimedRun claimed,
                                                               const domain::RetrySchedule& schedule,
                                                               Time now);

}  // namespace waybill::worker
