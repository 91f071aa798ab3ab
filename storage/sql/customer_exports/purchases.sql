-- Returns the purchases of shipments, oldest first, with the labels that are stored.
-- $1 business uuid, $2 shipments uuid[]
select
\ir ../purchases/answer.inc
  , l.format as "label.format", l.stored_at as "label.storedAt",
  translate(encode(l.bytes, 'base64'), E'\n', '') as "label.file"
from purchases p
left join purchase_labels l on l.business_id = p.business_id and l.purchase_id = p.guid
where p.business_id = $1::uuid and p.shipment_id = any ($2::uuid[])
order by p.requested_at, p.attempt, p.guid
