-- Locks a shipment and returns its status.
-- $1 business uuid, $2 shipment uuid
-- -> status text
select status from shipments where business_id = $1 and guid = $2 and deleted_at is null for update
