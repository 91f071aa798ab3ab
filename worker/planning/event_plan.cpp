#include "worker/planning/event_plan.hpp"

#include "base/observe.hpp"

namespace waybill::worker {

using std::chrono::steady_clock;

domain::Verdict EventWorkflows::judge(const Workflow& workflow, const domain::Subject& subject) {
  return domain::judge(workflow.rule.conditions, subject, share);
}

std::vector<PlannedRun> plan_event(const storage::StoredEvent& event, const domain::Change& change,
                                   const domain::TriggerSet& fired, EventWorkflows& workflows,
                                   const EventLimits& limits, Time now) {
  const auto since = steady_clock::now();
  const domain::Subject subject{change.entity, change.previous, change.created};
  bool defers = limits.may_defer && !limits.has_memory;
  std::vector<PlannedRun> runs;
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
  return runs;
}

}  // namespace waybill::worker
