#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/batch.hpp"
#include "storage/runs/run.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/later_events.hpp"

namespace waybill::worker {

/// The state after a step of a run ended with the final status of `state`: that of the next step, which is to
/// begin, or the final state of the run. The state of a run of one action stays as it is. Pure.
storage::RunState end_step(storage::RunState state, Time now);

/// Counts, in the metrics, the steps that ended since the state was stored last.
void count_steps(const storage::RunState& state);

/// The values that a beginning step can read. The references are valid only during the call.
struct StepView {
  const storage::StoredEvent& event;
  const json::object& entity;    // as of the event for the first step, as it is now for later ones
  const json::object& previous;  // record before the event
  bool created;                  // by the event
  std::span<const std::string_view> triggers;
  /// Returns the texts that a step was sent with by the run that is replayed, or by one that this replays,
  /// unless the runs have different values of the step `last_used` (0: none); nullopt if there are none.
  std::function<std::optional<storage::Rendering>(int number, int last_used)> earlier_texts;
  /// Returns the moment of the n-th working day from another moment; nullopt if the calendar has none.
  std::function<std::optional<Time>(Time start, int count)> working_day;
  /// Searches the events of the record after an event, or after the last one that the run has used.
  std::function<LaterEvents(std::uint64_t after, const WantedEvents& wanted)> later_events = {};
  /// True if the person whom the record names was erased after the event of the run.
  std::function<bool()> is_erased = {};
  /// The end of the time for which the run and its event are kept.
  Time expires_at = Time::max();
};

/// The number of the step that a claimed run begins: its current one, or the next if it is a wait that is
/// over. A wait for an event is over once later_events says so.
int step_to_begin(const storage::RunState& state);

/// The type of the action that a claimed run attempts, or of the step that it begins; empty if the run ends
/// with the wait that is over. Pure.
std::string_view type_to_begin(const storage::Run& run);

/// Ends the wait of a claimed run whose wait is over and whose next step must wait, too, for instance for the
/// window of its workflow. Has no effect on other runs. Pure.
void end_wait(storage::RunState& state, Time now);

/// The final state of a run that an event of its record cancels.
storage::RunState cancelled_state(storage::RunState state, std::uint64_t event, Time now);

/// Begins the current step of a claimed run, and those after it while steps end at once: a wait that is over,
/// a step that is skipped or cannot be rendered. The run is then in one of these states: running, with the
/// texts of a step that is to be performed; waiting; queued, because the second step reads another state of
/// the record than the first, or because it is an action for which the window of the workflow was not
/// checked when the run was claimed; or final. Pure, apart from the functions of the view.
void begin_steps(const Workflow& workflow, const StepView& view, storage::Run& run, Time now);

}  // namespace waybill::worker
