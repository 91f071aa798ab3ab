-- Returns the account with an e-mail address.
-- $1 email text
-- -> guid uuid, password_hash text, is_verified boolean, email text
select guid, password_hash, verified_at is not null as is_verified, email
from users
where lower(email) = lower($1) and password_hash is not null
