-- $1 user, $2 SHA-256 of the token
insert into user_sessions (user_id, token_hash, expires_at)
values ($1::uuid, $2::bytea, now() + interval '24 hours')
returning expires_at
