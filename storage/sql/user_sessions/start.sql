-- $1 user, $2 SHA-256 of the token, $3 the password hash that the login was compared with. No row: the password was
-- changed meanwhile.
insert into user_sessions (user_id, token_hash, expires_at)
select guid, $2::bytea, now() + interval '24 hours' from users where guid = $1::uuid and password_hash = $3 for share
returning expires_at
