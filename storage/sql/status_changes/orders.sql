-- Changes the status of all given orders that exist, or of none. Returns each existing order with its previous
-- status and whether its shipments have the required status. If another transaction has locked an order, this
-- waits for it, or returns its status as null and changes none. The planner does not look into the subselects, so no
-- plan for certain values looks better than the one for all, and a session plans the statement once.
-- $1 business uuid, $2 orders uuid[], $3 status text, $4 allowed_from text[],
-- $5 required_of_shipments text or null (at least one), $6 cause text or null (null: as it is set),
-- $7 waits boolean
-- -> guid uuid, status text or null, is_ready boolean or null, ...
with awaited as materialized (
  select r.guid, r.status from orders r
  where (select $7::boolean)
    and r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
  order by r.guid for no key update
), free as materialized (
  select r.guid, r.status from orders r
  where not (select $7::boolean)
    and r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
  order by r.guid for no key update skip locked
), held as materialized (
  select l.guid, l.status,
         (select $5::text) is null
           or (select count(*) > 0 and bool_and(s.status = $5::text) from shipments s
               where s.business_id = $1::uuid and s.order_id = l.guid and s.deleted_at is null
                 and s.status not in ('cancelled', 'returned')) as is_ready
  from (select * from awaited union all select * from free) l
), existing as materialized (
  select r.guid, h.status, h.is_ready from orders r left join held h on h.guid = r.guid
  where r.business_id = $1::uuid and r.guid = any ((select $2::uuid[])::uuid[]) and r.deleted_at is null
    and (h.guid is not null or not (select $7::boolean))  -- otherwise it was deleted while this waited
), verdict as materialized (
  select bool_and(coalesce(t.status = $3 or (t.is_ready and t.status = any ($4::text[])), false)) as is_allowed from existing t
), moved as (
  update orders r set status = $3 from held h, verdict v
  where v.is_allowed and r.business_id = $1::uuid and r.guid = h.guid and h.status <> $3
)
select t.guid, t.status, t.is_ready, c.cause
from existing t,
     (select case when $6::text is not null then set_config('waybill.cause', $6::text, true) end as cause) c
order by t.guid
