#pragma once

#include <optional>
#include <string>

#include "actions/action.hpp"
#include "domain/retry.hpp"
#include "storage/run.hpp"

namespace waybill::worker {

/// What a try makes of a run. Pure.
struct Verdict {
  storage::RunState state;
  std::optional<std::string> pause;  // the workflow is to be paused, with this reason
};

/// The state of `run` after a try that ended at `now` with `result`. A retry beyond the schedule is dead.
Verdict judge(const storage::Run& run, const actions::AttemptResult& result,
              const domain::RetrySchedule& schedule, Time now);

/// The state of a run whose last try asked for a change of records, and what came of that at `now`. One that
/// another transaction was in the way of was no try.
storage::RunState judge_change(const storage::RunState& state, const storage::StatusChangeResult& result,
                               Time now);

/// `tries` (a JSON array) with one more entry {number, startedAt, durationMs, statusCode, response, error}.
std::string append_attempt(std::string_view tries, int number, const actions::AttemptResult& result);

}  // namespace waybill::worker
