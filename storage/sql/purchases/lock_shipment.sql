-- Locks a shipment whose label is to be bought; the first statement of a request. No row if the shipment does not exist.
-- $1 business uuid, $2 shipment uuid
-- -> guid uuid
select guid from shipments where business_id = $1::uuid and guid = $2::uuid and deleted_at is null for no key update
