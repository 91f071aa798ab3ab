-- Returns the number of jobs of a business.
-- runs: long
-- $1 business uuid
-- -> total bigint
select count(*) as total from jobs where business_id = $1::uuid
