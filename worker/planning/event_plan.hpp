#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "domain/records/change.hpp"
#include "domain/triggers.hpp"
#include "storage/outbox.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// Limits of the runs of one event that are rendered in its batch. The others are queued without their texts
/// and rendered when they are claimed.
struct EventLimits {
  bool may_defer = true;   // false: all runs are rendered
  bool has_memory = true;  // false: none is rendered
  std::size_t runs = 200;
  std::size_t bytes = 8UL * 1024 * 1024;
  std::chrono::steady_clock::duration time = std::chrono::milliseconds(5);
};

/// Plans the runs that an event causes through those of `workflows` whose conditions hold, in their order.
/// `fired` are the triggers that the event meets; the workflows have one of them. Conditions that read no
/// relatives have been evaluated. Runs of several steps have no texts, and changes of records by one event
/// that follow one without texts have none either, so that they are made in the order of the workflows.
std::vector<PlannedRun> plan_event(const storage::StoredEvent& event, const domain::Change& change,
                                   const domain::TriggerSet& fired, std::span<const WorkflowPtr> workflows,
                                   const EventLimits& limits, Time now);

}  // namespace waybill::worker
