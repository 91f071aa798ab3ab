-- Ends waits for events of a record: makes the runs due. A run that its own event would wake is left out. A run that is claimed
-- may have looked at the events before this one came, also if an earlier one woke it, so the last event is kept (go_on.sql).
-- The workflow is compared in a way that no index serves: while the planner assumes the queue to be empty, an index of the
-- workflow's runs looks as good as that of the record.
-- $1 businesses uuid[], $2 records uuid[], $3 workflows uuid[], $4 versions int[], $5 steps int[], $6 events bigint[],
-- $7 causing_runs uuid[] (null element: none)
-- -> woken bigint, ...
with woken as (
  update run_queue q
  set awaited_event = e.event_id, due_at = case when q.status = 'waiting' then clock_timestamp() else q.due_at end
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::bigint[], $7::uuid[])
    e (business_id, entity_id, workflow_id, version, step, event_id, causing_run)
  where q.business_id = e.business_id and q.entity_id = e.entity_id and q.watch_after is not null
    and q.workflow_id is not distinct from e.workflow_id and q.workflow_version = e.version and q.watched_step = e.step
    and q.watch_after < e.event_id and coalesce(q.awaited_event, 0) < e.event_id and q.guid is distinct from e.causing_run
  returning 1
), counted as (
  select count(*) as woken from woken
)
select woken, case when woken > 0 then pg_notify('waybill_queue', '') end from counted
