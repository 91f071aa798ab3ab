#include "worker/planning/event_plan.hpp"

#include <utility>

#include "base/observe.hpp"
#include "worker/planning/digest_plan.hpp"

namespace waybill::worker {

using std::chrono::steady_clock;

domain::Verdict EventWorkflows::judge(const Workflow& workflow, const domain::Subject& subject) {
  return domain::judge(workflow.rule.conditions, subject, share);
}

std::size_t add_item(const storage::StoredEvent& event, const domain::Change& change,
                     const domain::TriggerSet& fired, const Workflow& workflow, Time now,
                     PlannedEvent& plan) {
  storage::CollectedItem item = collect_item(event, change, fired, workflow);
  if (!fits_digest(item)) {
    plan.runs.push_back(end_unreadable(event, fired, workflow,
                                       {"PAYLOAD_TOO_LARGE", "The record is too large for a digest."}, now));
    return 0;
  }
  plan.collected.push_back(std::move(item));
  return plan.collected.back().item.size();
}

PlannedEvent plan_event(const storage::StoredEvent& event, const domain::Change& change,
                        const domain::TriggerSet& fired, EventWorkflows& workflows, const EventLimits& limits,
                        Time now) {
  const auto since = steady_clock::now();
  const domain::Subject subject{change.entity, change.previous, change.created};
  bool defers = limits.may_defer && !limits.has_memory;
  PlannedEvent plan;
  std::vector<PlannedRun>& runs = plan.runs;
  runs.reserve(workflows.refused.size());
  std::size_t bytes = 0;
  std::size_t deferred = 0;
  bool has_deferred_change = false;
  for (const WorkflowPtr& workflow : workflows.refused)
    runs.push_back(refuse_run(event, fired, *workflow, now));
  for (auto each = workflows.open.begin(); each != workflows.open.end(); ++each) {
    const WorkflowPtr& workflow = *each;
    if (workflow->rule.conditions.reads_relatives()) {
      if (workflows.share.is_exceeded()) {
        workflows.later.insert(workflows.later.begin(), each, workflows.open.end());
        break;
      }
      const domain::Verdict verdict = workflows.judge(*workflow, subject);
      if (verdict == domain::Verdict::too_much_work) runs.push_back(refuse_run(event, fired, *workflow, now));
      if (verdict != domain::Verdict::hold) continue;
    }
    if (workflow->rule.triggers.digest) {
      if (bytes >= limits.bytes) {
        workflows.later.insert(workflows.later.begin(), each, workflows.open.end());
        break;
      }
      bytes += add_item(event, change, fired, *workflow, now, plan);
      continue;
    }
    defers = defers || (limits.may_defer && (runs.size() >= limits.runs || bytes >= limits.bytes ||
                                             steady_clock::now() - since > limits.time));
    const bool waits = has_deferred_change && workflow->action->changes_records();
    if (!workflow->steps.empty() || workflow->watches() || waits) {
      runs.push_back(defer_run(event, fired, *workflow, now));
      has_deferred_change = has_deferred_change || workflow->action->changes_records();
    } else if (defers) {
      runs.push_back(defer_run(event, fired, *workflow, now));
      ++deferred;
    } else {
      runs.push_back(plan_run(event, change, fired, *workflow, now));
      bytes += storage::byte_size(runs.back().run.key);
    }
    limit_run(*workflow, change.entity, runs.back().run.key);
  }
  if (deferred > 0) observe(Observable::runs_deferred, {}, deferred);
  return plan;
}

}  // namespace waybill::worker
