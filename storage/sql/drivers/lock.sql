-- Locks a driver who is to be deleted. Waits for transactions that name the driver. No row if the driver does not exist.
-- $1 business uuid, $2 driver uuid
-- -> guid uuid
select guid from drivers where business_id = $1 and guid = $2 and deleted_at is null for update
