-- Queues a new run that repeats the request of a run under the same webhook-id. Returns whether the workflow
-- still exists; nothing is queued otherwise. No row if the run does not exist.
-- $1 business uuid, $2 run uuid, $3 new_run uuid
-- -> has_workflow boolean, ...
with origin as (
  select r.*, w.guid is not null as has_workflow, w.ordered
  from all_runs r
  left join workflows w on w.business_id = r.business_id and w.guid = r.workflow_id and w.deleted_at is null
  where r.business_id = $1::uuid and r.guid = $2::uuid
  limit 1
), queued as (
  insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code,
                         action, status, created_at, due_at, origin, replay_of, destination, request, body, ordered)
  select business_id, $3::uuid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
         'queued', now(), now(), origin, guid, destination, request, body, ordered
  from origin where has_workflow
)
select has_workflow, pg_notify('waybill_queue', '') from origin
