-- Returns the number of a business's open runs.
-- runs: long
-- $1 business uuid
-- -> open bigint
select count(*) as open from run_queue where business_id = $1::uuid
