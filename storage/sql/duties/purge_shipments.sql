-- Deletes shipments that were deleted before the retention, with their traces, labels, stops, history and tracking
-- tokens. Returns the number of deleted shipments.
-- $1 retention_in_days int, $2 max_records bigint
-- -> expired bigint
with old as materialized (
  select business_id, guid from shipments
  where deleted_at < now() - make_interval(days => $1)
  order by deleted_at limit $2 for update skip locked
), traces as (
  delete from shipment_traces t using old o where t.business_id = o.business_id and t.shipment_id = o.guid
), labels as (
  delete from shipment_labels l using old o where l.business_id = o.business_id and l.shipment_id = o.guid
), stops as (
  delete from dispatch_stops d using old o where d.business_id = o.business_id and d.shipment_id = o.guid
), history as (
  delete from status_history h using old o where h.business_id = o.business_id and h.entity_id = o.guid
), gone as (
  delete from shipments r using old o where r.business_id = o.business_id and r.guid = o.guid returning 1
)
select count(*) as expired from gone
