-- Returns the number of a business's users, including invited ones.
-- $1 business uuid
select count(*) from users where business_id = $1::uuid
