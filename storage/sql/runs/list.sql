-- Returns a page of a business's runs, newest first; their guids sort by time. The page is found with the
-- indexes alone, limited to the days at the mark. Each run is then read by its key, which `limit 1` forces
-- the planner to do. api/workflows/runs/run_list.cpp inserts the parts of a request in the marked places.
-- $1 business uuid, $2 no_record uuid
select r.guid, r.workflow_id as "workflowId", r.workflow_version as "workflowVersion", case when r.event_id >= 0 then r.event_id end as "eventId",
       (array['Order', 'Shipment', 'Customer', 'Product'])[r.entity_type + 1] as "entityType", nullif(r.entity_id, $2::uuid) as "entityId",
       r.trigger_code as trigger, r.status, r.code, r.error, r.attempts, r.created_at as "createdAt",
       r.next_attempt_at as "nextAttemptAt", r.finished_at as "finishedAt", r.replay_of as "replayOf",
       failed_steps(r.status, r.steps) as "failedSteps"
from (
  (select guid, created_at from runs where business_id = $1::uuid/*finished*//*days*/ order by guid desc /*limit*/)
  union all
  (select guid, created_at from run_queue where business_id = $1::uuid/*open*/ order by guid desc /*limit*/)
  order by guid desc
  /*page*/
) page,
lateral (
  select guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, status, code, error, attempts,
         created_at, null::timestamptz as next_attempt_at, finished_at, replay_of, steps
  from runs where business_id = $1::uuid and guid = page.guid and created_at = page.created_at/*days*/
  union all
  select guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, status, code, error, attempts,
         created_at, case when status in ('waiting', 'queued', 'retrying') and postponed_until is distinct from due_at then due_at end, null, replay_of, steps
  from run_queue where business_id = $1::uuid and guid = page.guid
  limit 1
) r
order by r.guid desc
