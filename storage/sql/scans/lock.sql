-- Locks the shipments that scans name and returns, for each scan, the shipments that it can mean. A scan names
-- a shipment by its guid or by its own number or the carrier's, without regard to case; only if there is none,
-- by that of a further parcel of its label, which another index has. A scan that names no shipment has no row.
-- The locks are taken in order of guid, so that calls cannot deadlock.
-- The plan must be good without statistics, which a new table lacks. So each number and guid is looked up by
-- itself (`lateral`), and deleted shipments are left out at the end: with the condition on deleted_at, a
-- partial index that begins with business_id can look as good as the primary key.
-- $1 business uuid, $2 numbers text[] (one for each scan; null if it has a guid),
-- $3 shipments uuid[] (one for each scan; null if it has a number)
-- -> scan bigint (position from 1), shipment uuid, status text, carrier uuid or null,
-- label_status text or null
with wanted as materialized (
  select lower(n.number) as number, n.number as given, n.scan
  from unnest($2::text[]) with ordinality n (number, scan) where n.number <> ''
), named as materialized (
  select w.scan, s.guid from wanted w
  cross join lateral (select r.guid from shipments r
                      where r.business_id = $1::uuid and lower(r.tracking_number) = w.number and r.deleted_at is null
                      offset 0) s
  union
  select w.scan, s.guid from wanted w
  cross join lateral (select r.guid from shipments r
                      where r.business_id = $1::uuid and lower(r.carrier_tracking_number) = w.number
                        and r.deleted_at is null and r.carrier_tracking_number is not null
                      offset 0) s
  union
  select n.scan, n.guid from unnest($3::uuid[]) with ordinality n (guid, scan) where n.guid is not null
), further as materialized (
  select w.scan, s.guid from wanted w
  cross join lateral (select distinct p.shipment_id as guid from purchases p
                      where p.business_id = $1::uuid and p.status in ('bought', 'voiding')
                        and p.tracking_numbers && array[w.given, upper(w.given), w.number]) s
  where not exists (select from named n where n.scan = w.scan)
), all_named as (
  select scan, guid from named union all select scan, guid from further
), held as materialized (
  select h.* from (select distinct guid from all_named order by guid) n
  cross join lateral (select r.guid, r.status, r.carrier_id, r.label_status, r.deleted_at from shipments r
                      where r.business_id = $1::uuid and r.guid = n.guid
                      for no key update) h
)
select n.scan, h.guid as shipment, h.status, h.carrier_id as carrier, h.label_status
from all_named n join held h on h.guid = n.guid and h.deleted_at is null
order by n.scan
