-- Replaces the token that verifies the e-mail address of an account, and adds its mail.
-- $1 user, $2 hash of the token, $3 guid of the mail, $4 mail
with made as (
  update users set mail_token_hash = $2::bytea, mail_token_expires_at = now() + interval '24 hours', updated_at = now()
  where guid = $1::uuid and password_hash is not null and verified_at is null
  returning mail_token_expires_at
)
insert into mail_outbox (guid, sealed, expires_at)
select $3::uuid, $4::bytea, mail_token_expires_at from made
