#pragma once

#include <cstdint>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "domain/records/change.hpp"
#include "storage/outbox.hpp"
#include "storage/run_store.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// A run to be made: what is stored of it, and what its action needs.
struct PlannedRun {
  storage::Run run;
  json::object request;
  bool is_paused = false;  // its workflow
};

/// An event and the runs it causes. Most events cause none.
struct MatchedEvent {
  std::int16_t shard;
  storage::EventKey key;
  std::vector<PlannedRun> runs;
  bool orphan =
      false;  // its last worker may have been lost over it: its runs go through the queue, which counts
  std::vector<storage::PostponedMatch> postponed = {};  // with workflows that this version cannot read
};

/// The run that `event` causes by `workflow`, at `now`. The same event and workflow always give the same run
/// guid. A run that cannot be rendered is dead.
PlannedRun plan_run(const storage::StoredEvent& event, const domain::Change& change, const Workflow& workflow,
                    Time now);

/// Likewise, without its texts (storage::is_deferred).
PlannedRun defer_run(const storage::StoredEvent& event, const Workflow& workflow, Time now);

/// Renders the texts of `run` by the action and definition of `workflow`: request and body. Puts the request
/// into `request` as well. A run that cannot be rendered becomes dead.
void render_run(const storage::StoredEvent& event, const domain::Change& change, const Workflow& workflow,
                storage::Run& run, json::object& request);

/// True for a run that is not performed because its event ends a chain of changes by workflows, each made for
/// the event of the one before.
bool is_loop(const actions::Action& action, int depth);

/// The state of such a run.
storage::RunState loop_state(storage::RunState state, Time now);

}  // namespace waybill::worker
