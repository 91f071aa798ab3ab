-- Returns the stops of a dispatch, as stops.sql does, after shipments are added and one is removed.
-- $1 business uuid, $2 dispatch uuid, $3 added_shipments uuid[], $4 removed_shipment uuid or null
select t.shipment_id, is_final(coalesce(t.ended_as, s.status)), t.latitude, t.longitude,
       s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code, s.recipient_country, t.sequence
from dispatch_stops t
join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
where t.business_id = $1 and t.dispatch_id = $2 and t.shipment_id is distinct from $4::uuid
union all
select s.guid, is_final(s.status), null, null,
       s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code, s.recipient_country, null
from shipments s
where s.business_id = $1 and s.guid = any($3::uuid[]) and s.deleted_at is null and s.guid is distinct from $4::uuid
  and not exists (select from dispatch_stops t
                  where t.business_id = $1 and t.dispatch_id = $2 and t.shipment_id = s.guid)
order by sequence nulls last, shipment_id
