-- A new token that verifies the address of an account, in place of the earlier one, and its mail: $1 account, $2 hash of
-- the token, $3 guid of the mail, $4 the mail.
with made as (
  update users set mail_token_hash = $2::bytea, mail_token_expires_at = now() + interval '24 hours', updated_at = now()
  where guid = $1::uuid and password_hash is not null and verified_at is null
  returning mail_token_expires_at
)
insert into mail_outbox (guid, sealed, expires_at)
select $3::uuid, $4::bytea, mail_token_expires_at from made
