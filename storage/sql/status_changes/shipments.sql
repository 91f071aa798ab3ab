-- Changes the status of all given shipments that exist, or of none, without waiting for locks. Returns each
-- existing shipment with its previous status (null if another transaction has locked it), true, and the status of the label
-- that keeps it from being cancelled.
-- A session plans it once, as it does orders.sql.
-- $1 business uuid, $2 shipments uuid[], $3 status text, $4 allowed_from text[],
-- $5 cause text or null (null: as it is set)
-- -> guid uuid, status text or null, is_ready boolean or null, locking_label text or null, ...
with held as materialized (
  select r.guid, r.status,
         case when $3 = 'cancelled' and r.status <> $3 and label_locks(r.label_status) then r.label_status end as locking_label
  from shipments r
  where r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
  order by r.guid for no key update skip locked
), existing as materialized (
  select r.guid, h.status, h.locking_label from shipments r left join held h on h.guid = r.guid
  where r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
), verdict as materialized (
  select bool_and(coalesce(t.status = $3 or t.status = any ($4::text[]), false) and t.locking_label is null) as is_allowed
  from existing t
), moved as (
  update shipments r
  set status = $3 from held h, verdict v
  where v.is_allowed and r.business_id = $1::uuid and r.guid = h.guid and h.status <> $3
)
select t.guid, t.status, true as is_ready, t.locking_label, c.cause
from existing t,
     (select case when $5::text is not null then set_config('waybill.cause', $5::text, true) end as cause) c
order by t.guid
