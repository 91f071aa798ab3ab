-- Changes the status of all given orders that exist, or of none, without waiting for locks. Returns each
-- existing order with its previous status (null if another transaction has locked it) and whether its
-- shipments have the required status.
-- $1 business uuid, $2 orders uuid[], $3 status text, $4 allowed_from text[],
-- $5 required_of_shipments text or null (at least one), $6 cause text
with held as materialized (
  select r.guid, r.status,
         $5::text is null or (select count(*) > 0 and bool_and(s.status = $5::text) from shipments s
                              where s.business_id = $1::uuid and s.order_id = r.guid and s.deleted_at is null
                                and s.status not in ('cancelled', 'returned')) as is_ready
  from orders r
  where r.business_id = $1::uuid and r.guid = any ($2::uuid[]) and r.deleted_at is null
  order by r.guid for no key update skip locked
), existing as materialized (
  select r.guid, h.status, h.is_ready from orders r left join held h on h.guid = r.guid
  where r.business_id = $1::uuid and r.guid = any ($2::uuid[]) and r.deleted_at is null
), verdict as materialized (
  select bool_and(coalesce(t.status = $3 or (t.is_ready and t.status = any ($4::text[])), false)) as is_good from existing t
), moved as (
  update orders r set status = $3 from held h, verdict v
  where v.is_good and r.business_id = $1::uuid and r.guid = h.guid and h.status <> $3
)
select t.guid, t.status, t.is_ready, c.cause
from existing t, (select set_config('waybill.cause', $6, true) as cause) c
order by t.guid
