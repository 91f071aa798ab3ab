-- Locks a business's own carrier that is to be removed, before its configuration. Waits for transactions that hold it. No row
-- for a built-in carrier, which stays.
-- $1 business uuid, $2 carrier uuid
-- -> guid uuid
select guid from carriers where business_id = $1::uuid and guid = $2::uuid and deleted_at is null for update
