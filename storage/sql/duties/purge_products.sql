-- Deletes products that were deleted before the retention. The store's products among them stay known to imports. Returns
-- the number of deleted products.
-- $1 retention_in_days int, $2 max_records bigint
-- -> expired bigint
with old as materialized (
  select business_id, guid from products
  where deleted_at < now() - make_interval(days => $1)
  order by deleted_at limit $2 for update skip locked
), gone as (
  delete from products r using old o where r.business_id = o.business_id and r.guid = o.guid returning 1
)
select count(*) as expired from gone
