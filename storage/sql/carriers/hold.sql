-- Keeps a business's own carrier from being removed until the transaction ends. Must run before its configuration or the
-- business's defaults are locked, as lock.sql does. No row for a built-in carrier, which stays.
-- $1 business uuid, $2 carrier uuid
-- -> guid uuid
select guid from carriers where business_id = $1::uuid and guid = $2::uuid and deleted_at is null for key share
