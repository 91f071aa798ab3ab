#include "worker/planning/timer_plan.hpp"

#include <algorithm>

namespace waybill::worker {
namespace {

constexpr int most_depth = 1'000;  // more than any limit of loops

std::optional<storage::TimerChange::Setting> setting_of(const json::object& entity, const Workflow& workflow,
                                                        Time since) {
  const domain::Timer& timer = workflow.rule.triggers.timer.value();
  const auto value = timer.value(entity);
  if (value && timer.workdays)
    return storage::TimerChange::Setting{
        .value = *value, .due = {}, .working_days = timer.working_days(), .since = since};
  const auto due = value ? timer.due(*value, since) : std::nullopt;
  if (!due) return std::nullopt;
  return storage::TimerChange::Setting{.value = *value, .due = *due};
}

}  // namespace

std::optional<storage::TimerChange> timer_change(const storage::StoredEvent& event,
                                                 const domain::Change& change, const Workflow& workflow) {
  const domain::Timer& timer = workflow.rule.triggers.timer.value();
  const std::size_t field = domain::record_type(change.type).index_of(*timer.field);
  const bool is_concerned = change.created || change.deleted || change.changed.test(field);
  if (change.erased || !is_concerned) return std::nullopt;
  storage::TimerChange result{.business_id = event.business_id,
                              .workflow_id = workflow.guid,
                              .entity_id = event.entity_id,
                              .plan = workflow.timer_plan,
                              .event_id = event.id,
                              .depth = std::min(storage::cause_depth(event.cause), most_depth)};
  if (!change.deleted)
    result.setting =
        setting_of(change.entity, workflow, std::max(timer.since_of_event(event.at), workflow.timer_since));
  return result;
}

std::optional<storage::TimerChange> timer_of_record(const Guid& record, const json::object& entity,
                                                    const Workflow& workflow, Time since) {
  auto setting = setting_of(entity, workflow, since);
  if (!setting) return std::nullopt;
  return storage::TimerChange{.business_id = workflow.business_id,
                              .workflow_id = workflow.guid,
                              .entity_id = record,
                              .plan = workflow.timer_plan,
                              .event_id = 0,
                              .setting = setting};
}

}  // namespace waybill::worker
