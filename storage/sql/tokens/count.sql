-- Returns the number of a business's API tokens.
-- $1 business uuid
select count(*) from api_tokens where business_id = $1::uuid
