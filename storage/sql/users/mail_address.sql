-- Returns the address of a verified user of a business: the user with a guid, or the one with an address.
-- $1 business uuid, $2 user uuid or null, $3 email text or null
-- -> email text
select email from users
where business_id = $1::uuid and verified_at is not null
  and (guid = $2::uuid or ($2::uuid is null and lower(email) = lower($3)))
