-- Returns the carrier's numbers of a shipment and of its packages, the shipment's own first.
-- $1 business uuid, $2 shipment uuid
-- -> number text
select n.number from (
  select r.carrier_tracking_number as number, 0 as place from shipments r
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null
  union all
  select k.package ->> 'carrierTrackingNumber', k.place::integer from shipments r
  cross join lateral jsonb_array_elements(r.packages) with ordinality k (package, place)
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null and jsonb_typeof(k.package) = 'object'
) n
where n.number <> ''
group by n.number order by min(n.place)
