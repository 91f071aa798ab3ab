#pragma once

#include <optional>
#include <string>

#include "actions/action.hpp"
#include "domain/workflows/retry.hpp"
#include "storage/runs/run.hpp"

namespace waybill::worker {

/// The effect of an attempt on a run. Pure.
struct Verdict {
  storage::RunState state;
  std::optional<std::string> pause;  // the reason to pause the workflow
};

/// The state of `run` after an attempt that ended at `now` with `result`. A run, or its step, is dead if the
/// schedule has no further attempt.
Verdict judge(const storage::Run& run, const actions::AttemptResult& result,
              const domain::RetrySchedule& schedule, Time now);

/// The state of a run whose last attempt requested a change of records, with the result of the change at
/// `now`. An attempt that met a lock conflict does not count.
storage::RunState judge_change(const storage::RunState& state, const storage::ChangeResult& result, Time now);

/// Returns `tries` (a JSON array) with a further entry {number, step, startedAt, durationMs, statusCode,
/// response, error}, without `step` if it is 0.
std::string append_attempt(std::string_view tries, int number, int step,
                           const actions::AttemptResult& result);

}  // namespace waybill::worker
