-- Changes the status of each given order that exists and whose present status allows it. Returns each existing order with its
-- previous status, which is null if another transaction has locked the order. The subselects are as in orders.sql.
-- $1 business uuid, $2 orders uuid[], $3 status text, $4 allowed_from text[],
-- $5 cause text (with a line for each order: migration 0106)
-- -> guid uuid, status text or null, ...
with held as materialized (
  select r.guid, r.status from orders r
  where r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
  order by r.guid for no key update skip locked
), existing as materialized (
  select r.guid, h.status from orders r left join held h on h.guid = r.guid
  where r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
), moved as (
  update orders r set status = $3 from held h
  where r.business_id = $1::uuid and r.guid = h.guid and h.status <> $3 and h.status = any ($4::text[])
)
select t.guid, t.status, c.cause
from existing t, (select set_config('waybill.cause', $5::text, true) as cause) c
