-- Returns the account with an e-mail address.
-- $1 email text
-- -> guid uuid, password_hash text, is_verified boolean, email text, is_suspended boolean (its business)
select u.guid, u.password_hash, u.verified_at is not null as is_verified, u.email,
       b.suspended_at is not null as is_suspended
from users u left join businesses b on b.guid = u.business_id
where lower(u.email) = lower($1) and u.password_hash is not null
