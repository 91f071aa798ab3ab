-- Returns the stops of a dispatch, as stops.sql does, after shipments are added and one is removed.
-- $1 business uuid, $2 dispatch uuid, $3 added uuid[] (shipments), $4 removed uuid or null (a shipment)
-- -> shipment_id uuid, is_done boolean, latitude float8 or null, longitude float8 or null,
-- sequence int or null
select t.shipment_id, is_final(coalesce(t.ended_as, s.status)) as is_done, t.latitude, t.longitude, t.sequence
from dispatch_stops t
join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
where t.business_id = $1 and t.dispatch_id = $2 and t.shipment_id is distinct from $4::uuid
union all
select s.guid, is_final(s.status), null, null, null
from shipments s
where s.business_id = $1 and s.guid = any($3::uuid[]) and s.deleted_at is null and s.guid is distinct from $4::uuid
  and not exists (select from dispatch_stops t
                  where t.business_id = $1 and t.dispatch_id = $2 and t.shipment_id = s.guid)
order by sequence nulls last, shipment_id
