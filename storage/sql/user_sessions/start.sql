-- Starts a session and returns its expiry. No row if the password has changed since the login was checked.
-- $1 user uuid, $2 sha_256_of_token bytea, $3 checked_password_hash text
insert into user_sessions (user_id, token_hash, expires_at)
select guid, $2::bytea, now() + interval '24 hours' from users where guid = $1::uuid and password_hash = $3 for share
returning expires_at
