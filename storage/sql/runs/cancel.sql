-- Ends an open run as skipped and counts it. Returns whether it was open. The outcome of an attempt in flight
-- is lost, because its worker no longer holds the run.
-- $1 business uuid, $2 run uuid
-- -> is_cancelled boolean, ...
with gone as (
  delete from run_queue where business_id = $1::uuid and guid = $2::uuid
  returning *
), ended as (
  select *, replay_of is not null as is_replay from gone where ordered
),
\ir ../queue/next_runs.inc
, made_due as (  -- as in unblock.sql
  update run_queue q set due_at = clock_timestamp()
  from next_runs n
  where q.business_id = n.business_id and q.workflow_id = n.workflow_id and q.guid = n.guid
    and q.status in ('waiting', 'queued', 'retrying') and (q.due_at <= statement_timestamp() or q.due_at = q.postponed_until)
), moved as (
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
