-- Deletes customers that were deleted before the retention, unless an order or a shipment that is not deleted shows their
-- name. Returns the number of deleted customers.
-- $1 retention_in_days int, $2 max_records bigint
-- -> expired bigint
with old as materialized (
  select c.business_id, c.guid from customers c
  where c.deleted_at < now() - make_interval(days => $1)
    and not exists (select from orders o
                    where o.business_id = c.business_id and o.customer_id = c.guid and o.deleted_at is null)
    and not exists (select from shipments s
                    where s.business_id = c.business_id and s.customer_id = c.guid and s.deleted_at is null)
  order by c.deleted_at limit $2 for update skip locked
), gone as (
  delete from customers r using old o where r.business_id = o.business_id and r.guid = o.guid returning 1
)
select count(*) as expired from gone
