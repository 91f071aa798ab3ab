-- Returns the account with an e-mail address.
-- $1 email text
select guid, password_hash, verified_at is not null as is_verified, email, first_name, last_name, role
from users
where lower(email) = lower($1) and password_hash is not null
