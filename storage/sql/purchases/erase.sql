-- Erases the persons of shipments in their purchases, whatever their status: label bytes, links and texts of errors. Guid,
-- status, price and numbers stay. What a gateway returns later is stored without bytes, links and texts. Returns the number of
-- purchases.
-- $1 business uuid, $2 shipments uuid[]
-- -> erased bigint
with held as materialized (
  select p.guid from purchases p
  where p.business_id = $1::uuid and p.shipment_id = any ($2::uuid[]) and p.erased_at is null
  order by p.guid for update
),
\ir erase.inc
