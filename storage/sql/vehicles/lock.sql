-- Locks a vehicle that is to be deleted. Waits for transactions that name it. No row if it does not exist.
-- $1 business uuid, $2 vehicle uuid
-- -> guid uuid
select guid from vehicles where business_id = $1 and guid = $2 and deleted_at is null for update
