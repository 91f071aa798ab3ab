-- Stores a shipment's label.
-- $1 business uuid, $2 shipment uuid, $3 content_hash bytea, $4 pdf bytea
insert into shipment_labels (business_id, shipment_id, content_hash, pdf)
select $1, r.guid, $3, $4 from shipments r where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
on conflict (business_id, shipment_id) do update set content_hash = excluded.content_hash, pdf = excluded.pdf
