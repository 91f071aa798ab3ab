-- Returns whether a user belongs to a business.
-- $1 business uuid, $2 user uuid
-- -> is_member boolean
select exists (select from users where guid = $2::uuid and business_id = $1::uuid) as is_member
