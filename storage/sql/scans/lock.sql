-- Locks the shipments that scans name and returns, for each scan, the shipments that it can mean. A scan names
-- a shipment by its guid or by its own number or the carrier's, without regard to case. The locks are taken in
-- order of guid, so that calls cannot deadlock. A scan that names no shipment has no row.
-- $1 business uuid, $2 numbers text[] (one for each scan; null if it has a guid),
-- $3 shipments uuid[] (one for each scan; null if it has a number)
-- -> scan bigint (position from 1), shipment uuid, status text, carrier uuid or null
with wanted as materialized (
  select lower(n.number) as number, n.scan from unnest($2::text[]) with ordinality n (number, scan) where n.number <> ''
), found as materialized (
  select r.guid, lower(r.tracking_number) as number from shipments r
  where r.business_id = $1::uuid and lower(r.tracking_number) = any (array(select number from wanted))
    and r.deleted_at is null
  union
  select r.guid, lower(r.carrier_tracking_number) from shipments r
  where r.business_id = $1::uuid and lower(r.carrier_tracking_number) = any (array(select number from wanted))
    and r.deleted_at is null and r.carrier_tracking_number is not null
), named as materialized (
  select w.scan, f.guid from wanted w join found f on f.number = w.number
  union all
  select n.scan, n.guid from unnest($3::uuid[]) with ordinality n (guid, scan) where n.guid is not null
), held as materialized (
  select r.guid, r.status, r.carrier_id from shipments r
  where r.business_id = $1::uuid and r.guid = any (array(select guid from named)) and r.deleted_at is null
  order by r.guid for no key update
)
select n.scan, h.guid as shipment, h.status, h.carrier_id as carrier
from named n join held h on h.guid = n.guid
order by n.scan
