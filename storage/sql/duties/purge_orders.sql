-- Deletes orders that were deleted before the retention, with their history. The store's orders among them stay known to
-- imports, so they are not imported again. Returns the number of deleted orders.
-- $1 retention_in_days int, $2 max_records bigint
-- -> expired bigint
with old as materialized (
  select business_id, guid, integration_id, external_id from orders
  where deleted_at < now() - make_interval(days => $1)
  order by deleted_at limit $2 for update skip locked
), known as (
  insert into imported_orders (business_id, integration_id, external_id, order_id, digest, status)
  select business_id, integration_id, external_id, guid, '', '' from old where integration_id is not null
  on conflict do nothing
), history as (
  delete from status_history h using old o where h.business_id = o.business_id and h.entity_id = o.guid
), gone as (
  delete from orders r using old o where r.business_id = o.business_id and r.guid = o.guid returning 1
)
select count(*) as expired from gone
