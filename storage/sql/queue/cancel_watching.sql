-- Ends the open runs for records that events cancel, as skipped, and counts them. The outcomes of attempts in flight are lost,
-- because their workers no longer hold the runs. The rows are locked in one order, so that two workers do not wait for each
-- other, and found again by their keys: the place of a row that another session has just written is not that of the row which
-- this statement sees. The workflow is compared as in wake_watching.sql. Returns the number of runs that ended.
-- $1 businesses uuid[], $2 records uuid[], $3 workflows uuid[], $4 versions int[], $5 events bigint[],
-- $6 causing_runs uuid[] (null element: none)
-- -> cancelled bigint, ...
with locked as materialized (
  select q.business_id, q.workflow_id, q.guid, e.event_id
  from run_queue q
  join unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::uuid[])
    e (business_id, entity_id, workflow_id, version, event_id, causing_run)
    on q.business_id = e.business_id and q.entity_id = e.entity_id and q.watch_after is not null
       and q.workflow_id is not distinct from e.workflow_id and q.workflow_version = e.version
       and q.watch_after < e.event_id and q.guid is distinct from e.causing_run
  order by q.guid
  for update of q
), gone as (
  delete from run_queue q
  using (select business_id, workflow_id, guid, min(event_id) as event_id from locked group by 1, 2, 3) l
  where q.business_id = l.business_id and q.workflow_id = l.workflow_id and q.guid = l.guid
  returning q.*, 'CANCELLED_BY_EVENT' as end_code, 'Event ' || l.event_id || ' of the record cancelled the run.' as end_error
),
\ir end_skipped.inc
select count(*) as cancelled, case when count(*) > 0 then pg_notify('waybill_queue', '') end from gone
