-- A shipment's status, which stays until the transaction ends: $1 business, $2 guid.
select status from shipments where business_id = $1 and guid = $2 and deleted_at is null for update
