#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "domain/records/change.hpp"
#include "storage/outbox.hpp"
#include "storage/run.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// A run to be made: what is stored of it, and what its action needs.
struct PlannedRun {
  storage::Run run;
  json::object request;
  bool is_paused = false;  // its workflow
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

}  // namespace waybill::worker
