-- Makes due at once what lost workers had taken: queued runs, and imports. $1 is the worker that asks. A worker that lives holds
-- the lock of its name; one that is silent for $2 after the end of its lease is taken for lost as well (null: none is). It
-- enters itself again when it resumes.
with lost as (
  delete from workers where guid in (
    select guid from workers
    where guid <> $1::uuid
      and (pg_try_advisory_xact_lock(worker_lock(guid))
           or greatest(lease_end(guid), started_at) < clock_timestamp() - $2::interval))
  returning guid
), imports as (
  update integrations i set lease_owner = null, lease_until = null
  from lost where i.lease_owner = lost.guid
), freed as (
  update run_queue q set due_at = clock_timestamp()
  from lost where q.status = 'running' and q.lease_owner = lost.guid and q.due_at > clock_timestamp()
    and exists (select from lost)  -- or else the whole queue is read first
  returning 1
)
select count(*), case when count(*) > 0 then pg_notify('waybill_queue', '') end from freed
