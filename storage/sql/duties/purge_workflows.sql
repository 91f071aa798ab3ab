-- Deletes workflows that were deleted before the retention, with what is stored about them; their runs, timers
-- and results of timers are gone by then. One with a queued run or timers stays. Returns the number of deleted workflows.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select w.business_id, w.guid as workflow_id from workflows w
  where w.deleted_at < now() - make_interval(days => $1::integer + 2)  -- history goes by whole days
    and not exists (select from run_queue q where q.business_id = w.business_id and q.workflow_id = w.guid)
    and not exists (select from timers t where t.business_id = w.business_id and t.workflow_id = w.guid)
    and not exists (select from timer_results t where t.business_id = w.business_id and t.workflow_id = w.guid)
  limit $2::bigint for update skip locked
), versions as (
  delete from workflow_versions r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), secrets as (
  delete from workflow_secrets r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), switches as (
  delete from workflow_switches r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), health as (
  delete from workflow_health r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), watches as (
  delete from workflow_watches r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), scans as (
  delete from timer_scans r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), ticks as (
  delete from schedules r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), rates as (
  delete from request_rates r using old o where r.business_id = o.business_id and r.workflow_id = o.workflow_id
), gone as (
  delete from workflows w using old o where w.business_id = o.business_id and w.guid = o.workflow_id returning 1
)
select count(*) as expired from gone
