-- Stores scans that change no status. The shipments are locked. The setting is for shipments whose earlier
-- traces had no events (0020_scans.sql).
-- $1 business uuid, $2 shipments uuid[], $3 statuses text[], $4 times timestamptz[], $5 descriptions text[],
-- $6 locations text[], $7 external_ids text[]
with stored as (
  insert into shipment_traces (business_id, shipment_id, status, at, description, location, external_id, is_move)
  select $1::uuid, e.*, false
  from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[]) e
  returning shipment_id, id, at
), newest as (
  select shipment_id, max(id) as id, max(at) as at from stored group by shipment_id
), before as (
  select set_config('waybill.last_trace_id', (min(id) - 1)::text, true) as id from stored
)
update shipments r set last_trace_id = n.id, last_trace_at = greatest(r.last_trace_at, n.at)
from newest n, before b
where r.business_id = $1::uuid and r.guid = n.shipment_id and b.id is not null
