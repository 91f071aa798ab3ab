-- Returns the existing runs of a list with status and code.
-- $1 business uuid, $2 runs uuid[]
-- -> guid uuid, status text, code text or null
select guid, status, code from all_runs where business_id = $1::uuid and guid = any ($2::uuid[])
