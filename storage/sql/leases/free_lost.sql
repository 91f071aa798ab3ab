-- Deletes lost workers, frees their imports and makes their claimed runs due at once. A worker is lost if the
-- lock on its guid is free or its lease ended longer than the limit ago; it registers again when it resumes.
-- Returns the number of runs.
-- $1 worker uuid (the caller, never lost), $2 silence interval or null (after the end of a lease; null: no limit)
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
    and exists (select from lost)  -- otherwise the whole queue is read first
  returning 1
)
select count(*), case when count(*) > 0 then pg_notify('waybill_queue', '') end from freed
