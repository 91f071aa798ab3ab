-- Adds an unverified account and the mail that asks for its verification. Replaces an unverified account with
-- an expired token. No row if the e-mail address has another account.
-- $1 email text, $2 password_hash text, $3 first_name text or null, $4 last_name text or null,
-- $5 token_hash bytea, $6 mail uuid, $7 sealed_mail bytea
with made as (
  insert into users as u (email, password_hash, first_name, last_name, mail_token_hash, mail_token_expires_at)
  values ($1, $2, $3, $4, $5::bytea, now() + interval '24 hours')
  on conflict (lower(email)) where password_hash is not null do update
  set email = excluded.email, password_hash = excluded.password_hash, first_name = excluded.first_name,
      last_name = excluded.last_name, mail_token_hash = excluded.mail_token_hash,
      mail_token_expires_at = excluded.mail_token_expires_at, created_at = now(), updated_at = now()
  where u.verified_at is null and u.mail_token_expires_at < now()
  returning guid, email
), mail as (
  insert into mail_outbox (guid, sealed, expires_at)
  select $6::uuid, $7::bytea, now() + interval '24 hours' from made
)
select guid, email from made
