-- Whether $2 is a user of business $1.
select exists (select from users where guid = $2::uuid and business_id = $1::uuid)
