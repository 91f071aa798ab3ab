-- Returns the number of a business's API tokens.
-- runs: long
-- $1 business uuid
-- -> total bigint
select count(*) as total from api_tokens where business_id = $1::uuid
