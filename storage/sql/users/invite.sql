-- Adds an invitation and its mail, and returns the invitation.
-- $1 business, $2 e-mail, $3 first name, $4 last name, $5 role, $6 hash of the mailed token,
-- $7 guid of the mail, $8 mail
with u as (
  insert into users (business_id, email, first_name, last_name, role, mail_token_hash, mail_token_expires_at)
  values ($1::uuid, $2, $3, $4, $5, $6::bytea, now() + interval '7 days')
  returning *
), mail as (
  insert into mail_outbox (guid, sealed, expires_at)
  select $7::uuid, $8::bytea, u.mail_token_expires_at from u
)
select
\ir answer.inc
from u
