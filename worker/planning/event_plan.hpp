#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/clock.hpp"
#include "base/work_budget.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/records/change.hpp"
#include "domain/workflows/triggers.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/digests.hpp"
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

/// The workflows that may fire for an event.
struct EventWorkflows {
  std::vector<WorkflowPtr> open;     // conditions hold, or read relatives and are not judged yet
  std::vector<WorkflowPtr> refused;  // those whose conditions need too much work
  std::vector<WorkflowPtr> later;    // the last ones, which are matched in a later turn
  // The work that conditions may take before the other workflows are left to a later turn.
  WorkBudget share{domain::max_condition_work};

  /// Evaluates the conditions of a workflow at the expense of the share.
  domain::Verdict judge(const Workflow& workflow, const domain::Subject& subject);
};

/// The runs of an event, and the items that digests collect of it.
struct PlannedEvent {
  std::vector<PlannedRun> runs;
  std::vector<storage::CollectedItem> collected;
};

/// Collects an event for the digest of a workflow whose conditions hold. An item that no list can hold has a
/// dead run. Returns the bytes of the item.
std::size_t add_item(const storage::StoredEvent& event, const domain::Change& change,
                     const domain::TriggerSet& fired, const Workflow& workflow, Time now, PlannedEvent& plan);

/// Plans what an event causes through those of `workflows` whose conditions hold, in their order.
/// `fired` are the triggers that the event meets; the workflows have one of them. Conditions that read no
/// relatives have been evaluated. Runs of several steps have no texts. Changes of records that follow one
/// without texts have none either, so that the changes are made in the order of the workflows. Open workflows
/// that the share does not reach, or that would collect more than the limit of bytes, are moved to the front
/// of `workflows.later`.
PlannedEvent plan_event(const storage::StoredEvent& event, const domain::Change& change,
                        const domain::TriggerSet& fired, EventWorkflows& workflows, const EventLimits& limits,
                        Time now);

}  // namespace waybill::worker
