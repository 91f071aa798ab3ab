-- Ends an open run as skipped and counts it. Returns whether it was open. The outcome of an attempt in flight
-- is lost, because its worker no longer holds the run.
-- $1 business uuid, $2 run uuid
-- -> is_cancelled boolean, ...
with gone as (
  delete from run_queue where business_id = $1::uuid and guid = $2::uuid
  returning *
)
\ir ../queue/unblocked.inc
, moved as (
  insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                    status, code, error, attempts, created_at, finished_at, origin, replay_of, destination, request, body,
                    tries, steps)
  select business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
         'skipped', 'CANCELLED', 'The run was cancelled.', attempts, created_at, now(), origin, replay_of, destination,
         request, body, tries, steps
  from gone
  returning business_id, created_at, workflow_id, status
), counted as (
  insert into run_counts (business_id, unit, start, workflow_id, status, runs, newest_at)
  select business_id, unit, date_trunc(unit, created_at, 'UTC'), workflow_id, status, 1, created_at
  from moved, unnest(array['day', 'hour']) unit
)
select exists (select from gone) as is_cancelled, pg_notify('waybill_queue', '')
