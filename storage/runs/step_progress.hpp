#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace waybill::storage {

/// The progress of a run of several steps: its current step, and the results of the steps before it.
/// Immutable once it is shared. It holds everything that the end of the step depends on, so that the
/// workflow's definition is not needed to end it.
struct StepProgress {
  int number = 1;                  // number of the current step, from 1
  std::string type;                // type of the current step
  bool goes_on = false;            // the run continues if the step fails
  std::string next;                // type of the next step; empty for the last step
  int attempts_before = 0;         // attempts of the run before this step
  std::optional<Time> started_at;  // nullopt: the step is to begin
  std::optional<Time> until;       // the end of a wait that has begun
  std::string results = "[]";      // JSON array {number, type, status, code, error, startedAt, finishedAt}
  // The next two are not part of the stored text.
  std::vector<std::string_view> ended;  // statuses of the results that are not counted yet
  int stored = 0;                       // number of the step in the run's row of run_queue; 0: none has begun
};
using StepProgressPtr = std::shared_ptr<const StepProgress>;

/// The text that run_queue.steps and runs.steps store.
std::string to_text(const StepProgress& progress);
/// Throws std::invalid_argument for an unreadable text.
StepProgressPtr parse_progress(std::string_view text);

}  // namespace waybill::storage
