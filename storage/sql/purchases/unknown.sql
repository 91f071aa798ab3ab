-- Returns the number of purchases whose outcome is not known.
-- $1 business uuid
-- -> purchases bigint
select count(*) as purchases from purchases where business_id = $1::uuid and status = 'unknown'
