-- Returns the carrier's numbers of a shipment, of its packages and of its label, the shipment's own first.
-- $1 business uuid, $2 shipment uuid
-- -> number text
select n.number from (
  select r.carrier_tracking_number as number, 0 as place from shipments r
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null
  union all
  select k.package ->> 'carrierTrackingNumber', k.place::integer from shipments r
  cross join lateral jsonb_array_elements(r.packages) with ordinality k (package, place)
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null and jsonb_typeof(k.package) = 'object'
  union all
  select l.number, l.place::integer from purchases o
  cross join unnest(o.tracking_numbers) with ordinality l (number, place)
  where o.business_id = $1::uuid and o.shipment_id = $2::uuid and o.stray_of is null and o.status in ('bought', 'voiding')
) n
where n.number <> ''
group by n.number order by min(n.place)
