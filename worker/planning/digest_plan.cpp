#include "worker/planning/digest_plan.hpp"

#include <string>

#include "matching/digest_list.hpp"

namespace waybill::worker {

storage::CollectedItem collect_item(const storage::StoredEvent& event, const domain::Change& change,
                                    const domain::TriggerSet& fired, const Workflow& workflow) {
  const domain::Digest& digest = workflow.rule.triggers.digest.value();
  storage::CollectedItem collected{.business_id = event.business_id,
                                   .workflow_id = workflow.guid,
                                   .version = workflow.version,
                                   .terms = digest.terms,
                                   .value = to_json(digest.value_of(change.entity)),
                                   .event = {event.id, event.at},
                                   .entity_id = event.entity_id,
                                   .item = to_json(change.entity)};
  const json::object more =
      matching::item_members(event.id, workflow.rule.trigger_of(fired).code, event.at, change.previous);
  collected.item.back() = ',';  // a record has members
  collected.item += to_json(more).substr(1);
  return collected;
}

PlannedRun plan_digest_run(const DueDigest& digest, const Workflow& workflow, Time now) {
  const storage::StoredEvent stub{.id = digest.run_event,
                                  .business_id = digest.business_id,
                                  .entity_type = workflow.rule.entity_type(),
                                  .entity_id = storage::no_record,
                                  .at = digest.began_at,
                                  .cause = {},
                                  .detail = {},
                                  .before = {},
                                  .after = {}};
  PlannedRun planned = defer_run(stub, {}, workflow, now);
  storage::RunKey& key = planned.run.key;
  if (!workflow.steps.empty()) key.destination = storage::step_destination(digest.business_id, digest.guid);
  key.guid = digest.guid;
  key.origin = digest.guid;
  key.workflow_version = digest.version;
  key.trigger_code = domain::digest_code;
  return planned;
}

}  // namespace waybill::worker
