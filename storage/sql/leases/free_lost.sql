-- Deletes lost workers, frees their imports, purchases and lanes of pulls, and makes their claimed runs due at once. A worker is
-- lost if its session has ended or its lease ended longer than the limit ago; it registers again when it resumes. A purchase
-- that is being bought is due, too: whoever claims it notes that its outcome is unknown. Rows that another session has locked
-- are passed over: their leases end by themselves, and a worker that waited here would lose its own shards. Returns the number
-- of runs.
-- $1 worker uuid (the caller, never lost), $2 kept_after_lease interval or null (after the end of a lease; null: no limit)
with lost as (
  delete from workers where guid in (
    select guid from workers
    where guid <> $1::uuid
      and (not worker_lives(guid)
           or greatest(lease_end(guid), started_at) < clock_timestamp() - $2::interval)
    for update skip locked)
  returning guid
), left_imports as materialized (
  select i.business_id, i.guid from lost join integrations i on i.lease_owner = lost.guid
  for update of i skip locked
), imports as (
  update integrations i set lease_owner = null, lease_until = null
  from left_imports l where i.business_id = l.business_id and i.guid = l.guid
), left_purchases as materialized (
  select p.business_id, p.guid
  from purchases p
  where p.lease_owner is not null and p.lease_owner in (select guid from lost)
    and exists (select from lost)  -- otherwise all leased purchases are read first
  for update of p skip locked
), freed_purchases as (
  update purchases p set lease_owner = null, lease_until = null, claim_at = p.next_at
  from left_purchases l where p.business_id = l.business_id and p.guid = l.guid
  returning 1
), left_lanes as materialized (
  select t.business_id, t.connector
  from tracking_lanes t
  where t.lease_owner in (select guid from lost) and exists (select from lost)
  for update of t skip locked
), freed_lanes as (
  update tracking_lanes t set lease_owner = null, lease_until = null
  from left_lanes l where t.business_id = l.business_id and t.connector = l.connector
  returning 1
), left_runs as materialized (
  select q.business_id, q.workflow_id, q.guid
  from lost join run_queue q on q.status = 'running' and q.lease_owner = lost.guid and q.due_at > clock_timestamp()
  where exists (select from lost)  -- otherwise the whole queue is read first
  for update of q skip locked
), freed as (
  update run_queue q set due_at = clock_timestamp()
  from left_runs l where q.business_id = l.business_id and q.workflow_id = l.workflow_id and q.guid = l.guid
  returning 1
)
select count(*), case when count(*) > 0 then pg_notify('waybill_queue', '') end,
       case when exists (select from freed_purchases) then pg_notify('waybill_purchases', '') end,
       case when exists (select from freed_lanes) then pg_notify('waybill_pulls', '') end
from freed
