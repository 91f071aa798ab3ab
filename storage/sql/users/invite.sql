-- Adds an invitation and its mail, and returns the invitation.
-- $1 business uuid, $2 email text, $3 first_name text or null, $4 last_name text or null, $5 role text,
-- $6 token_hash bytea, $7 mail uuid, $8 sealed_mail bytea
-- -> guid uuid, ...
with u as (
  insert into users (business_id, email, first_name, last_name, role, mail_token_hash, mail_token_expires_at)
  values ($1::uuid, $2, $3, $4, $5, $6::bytea, now() + interval '7 days')
  returning *
), mail as (
  insert into mail_outbox (guid, sealed, expires_at, business_id)
  select $7::uuid, $8::bytea, u.mail_token_expires_at, u.business_id from u
)
select
\ir answer.inc
from u
