-- Moves orders to a status, all of those named that there are or none: $1 business, $2 guids, $3 the status, $4 those it
-- may come from, $5 the status that every shipment of an order must have that was neither cancelled nor returned (and
-- there must be one), or null, $6 the cause. Nobody is waited for. Answers each order that there is with the status it
-- had, null when another transaction holds it, and whether its shipments are as they must be.
with held as materialized (
  select r.guid, r.status,
         $5::text is null or (select count(*) > 0 and bool_and(s.status = $5::text) from shipments s
                              where s.business_id = $1::uuid and s.order_id = r.guid and s.deleted_at is null
                                and s.status not in ('cancelled', 'returned')) as is_ready
  from orders r
  where r.business_id = $1::uuid and r.guid = any ($2::uuid[]) and r.deleted_at is null
  order by r.guid for no key update skip locked
), there as materialized (
  select r.guid, h.status, h.is_ready from orders r left join held h on h.guid = r.guid
  where r.business_id = $1::uuid and r.guid = any ($2::uuid[]) and r.deleted_at is null
), verdict as materialized (
  select bool_and(coalesce(t.status = $3 or (t.is_ready and t.status = any ($4::text[])), false)) as is_good from there t
), moved as (
  update orders r set status = $3 from held h, verdict v
  where v.is_good and r.business_id = $1::uuid and r.guid = h.guid and h.status <> $3
)
select t.guid, t.status, t.is_ready, c.cause
from there t, (select set_config('waybill.cause', $6, true) as cause) c
order by t.guid
