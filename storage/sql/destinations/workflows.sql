-- Returns the names of workflows that exist.
-- $1 business uuid, $2 workflows uuid[]
-- -> guid uuid, name text
select guid, name from workflows where business_id = $1::uuid and guid = any ($2::uuid[]) and deleted_at is null
