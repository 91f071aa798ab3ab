-- Replaces the token that verifies the e-mail address of an account, and adds its mail.
-- $1 user uuid, $2 token_hash bytea, $3 mail uuid, $4 sealed_mail bytea
with made as (
  update users set mail_token_hash = $2::bytea, mail_token_expires_at = now() + interval '24 hours', updated_at = now()
  where guid = $1::uuid and password_hash is not null and verified_at is null
  returning mail_token_expires_at, business_id
)
insert into mail_outbox (guid, sealed, expires_at, business_id)
select $3::uuid, $4::bytea, mail_token_expires_at, business_id from made
