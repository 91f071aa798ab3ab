-- Adds or replaces the token that resets the password of an account, and adds its mail.
-- $1 user uuid, $2 token_hash bytea, $3 mail uuid, $4 sealed_mail bytea
with made as (
  insert into password_resets (user_id, token_hash, expires_at)
  select guid, $2::bytea, now() + interval '1 hour' from users where guid = $1::uuid and password_hash is not null
  on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
  returning expires_at
)
insert into mail_outbox (guid, sealed, expires_at, business_id)
select $3::uuid, $4::bytea, m.expires_at, u.business_id from made m, users u where u.guid = $1::uuid
