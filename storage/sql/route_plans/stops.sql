-- Returns the stops of a dispatch in their current order, with coordinates and whether each is completed.
-- $1 business uuid, $2 dispatch uuid
-- -> shipment_id uuid, is_done boolean, latitude float8 or null, longitude float8 or null
select t.shipment_id, is_final(coalesce(t.ended_as, s.status)) as is_done, t.latitude, t.longitude
from dispatch_stops t
join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
where t.business_id = $1 and t.dispatch_id = $2
order by t.sequence, t.shipment_id
