-- Returns the number of a business's users, including invited ones.
-- $1 business uuid
-- -> total bigint
select count(*) as total from users where business_id = $1::uuid
