-- Stores one scan for each of the given locked shipments and changes the shipment to its status.
-- $1 business uuid, $2 shipments uuid[], $3 statuses text[], $4 times timestamptz[], $5 descriptions text[],
-- $6 locations text[], $7 external_ids text[]
with stored as (
  insert into shipment_traces (business_id, shipment_id, status, at, description, location, external_id, is_move)
  select $1::uuid, e.*, true
  from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[]) e
  returning shipment_id, id, status
)
update shipments r set status = s.status, last_trace_id = s.id from stored s
where r.business_id = $1::uuid and r.guid = s.shipment_id
