#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"

namespace waybill::storage {

/// A step in a way that a choice did not take.
struct PassedStep {
  int number;
  std::string type;
  std::string name;  // empty without one
};

/// The progress of a run of several steps: its current step, and the results of the steps before it.
/// Immutable once it is shared. It holds everything that the end of the step depends on, so that the
/// workflow's definition is not needed to end it.
struct StepProgress {
  int number = 1;                  // number of the current step, from 1
  std::string type;                // type of the current step
  bool goes_on = false;            // the run continues if the step fails
  std::string next;                // type of the next step; empty for the last step
  int attempts_before = 0;         // attempts of the run before this step
  int first = 0;                   // number of the step that a replay began with; 0: of no replay, or unknown
  std::optional<Time> started_at;  // nullopt: the step is to begin
  std::optional<Time> until;       // the end of a wait that has begun; the latest one if `awaits`
  std::string name = {};           // of the current step; empty without one
  std::vector<int> used_by = {};   // numbers of the later steps that use the answer of the current one
  int between = 0;                 // number of steps between the current one and the next
  bool awaits = false;             // the current step waits for an event of the record
  // The event that ended the last such wait: later ones count for the next.
  std::optional<std::uint64_t> watch_after = {};
  std::uint64_t looked_to = 0;  // the last event that was found not to end the present wait
  // The later steps in ways not taken of the current step, a choice, and of the choices around it.
  std::vector<PassedStep> passed = {};
  // JSON array {number, type, status, code, error, startedAt, finishedAt}. A result can also have `name`,
  // `answer` with `usedBy`, `erased` (its answer was erased), and for a choice `way` (then or otherwise) and
  // `passed` (numbers of the first and the last step of the other way).
  std::string results = "[]";
  // The following are not part of the stored text.
  json::object outcome = {};            // members that the result of the current step gets when it ends
  std::vector<std::string_view> ended;  // statuses of the results that are not counted yet
  bool ends_alone = false;              // the end of the current step does not end the run, whatever its code
  int stored = 0;                       // number of the step in the run's row of run_queue; 0: none has begun
};
using StepProgressPtr = std::shared_ptr<const StepProgress>;

/// The text that run_queue.steps and runs.steps store.
std::string to_text(const StepProgress& progress);
/// Throws std::invalid_argument for an unreadable text.
StepProgressPtr parse_progress(std::string_view text);

}  // namespace waybill::storage
