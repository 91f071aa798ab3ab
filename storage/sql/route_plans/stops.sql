-- Returns the stops of a dispatch in their current order, with coordinates, address and whether each is
-- completed.
-- $1 business uuid, $2 dispatch uuid
-- -> shipment_id uuid, is_done boolean, latitude float8 or null, longitude float8 or null,
-- street text or null, city text or null, state text or null, postal_code text or null, country text or null
select t.shipment_id, is_final(coalesce(t.ended_as, s.status)) as is_done, t.latitude, t.longitude,
       s.recipient_street as street, s.recipient_city as city, s.recipient_state as state,
       s.recipient_postal_code as postal_code, s.recipient_country as country
from dispatch_stops t
join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
where t.business_id = $1 and t.dispatch_id = $2
order by t.sequence, t.shipment_id
