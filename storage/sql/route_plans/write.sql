-- Stores a dispatch's new route. The arrays have one entry for each stop, in order.
-- $1 business uuid, $2 dispatch uuid, $3 shipments uuid[], $4 latitudes float8[], $5 longitudes float8[],
-- $6 arrivals bigint[] (seconds), $7 distance_km numeric or null, $8 duration bigint (seconds),
-- $9 start_unlocated boolean, $10 marks bigint[] (of the addresses; null: as before), $11 start_mark bigint
with stops as (
  update dispatch_stops t
  set sequence = n.sequence, latitude = n.latitude, longitude = n.longitude,
      arrives_after = n.seconds * interval '1 second', planned_for = coalesce(n.mark, t.planned_for)
  from unnest($3::uuid[], $4::float8[], $5::float8[], $6::bigint[], $10::bigint[])
       with ordinality n (shipment_id, latitude, longitude, seconds, mark, sequence)
  where t.business_id = $1 and t.dispatch_id = $2 and t.shipment_id = n.shipment_id
)
update dispatches set distance_km = round($7::numeric, 2), duration = $8::bigint * interval '1 second',
                      start_unlocated = $9, planned_from = $11, planned_stops = cardinality($3::uuid[])
where business_id = $1 and guid = $2
