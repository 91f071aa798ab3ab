-- Returns the stops of a dispatch in their current order, with coordinates, address and whether each is
-- completed.
-- $1 business uuid, $2 dispatch uuid
select t.shipment_id, is_final(coalesce(t.ended_as, s.status)), t.latitude, t.longitude,
       s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code, s.recipient_country
from dispatch_stops t
join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
where t.business_id = $1 and t.dispatch_id = $2
order by t.sequence, t.shipment_id
