-- Starts a session and returns its expiry. No row if the password has changed since the login was checked.
-- $1 user uuid, $2 token_hash bytea, $3 password_hash text (as checked)
-- -> expires_at timestamptz
insert into user_sessions (user_id, token_hash, expires_at)
select guid, $2::bytea, now() + interval '24 hours' from users where guid = $1::uuid and password_hash = $3 for share
returning expires_at
