-- Adds an account without a business to a business and ends its sessions. The account keeps its names, unless nobody
-- has verified its address: then a stranger may have chosen them, and it gets those of the invitation.
-- $1 user uuid, $2 business uuid, $3 role text, $4 first_name text or null, $5 last_name text or null,
-- $6 password_hash text, $7 invitation uuid
with sessions as (
  delete from user_sessions where user_id = $1::uuid
), resets as (
  delete from password_resets where user_id = $1::uuid
)
update users
set business_id = $2::uuid, role = $3,
    first_name = case when verified_at is null then $4 else coalesce(first_name, $4) end,
    last_name = case when verified_at is null then $5 else coalesce(last_name, $5) end,
    password_hash = $6, verified_at = coalesce(verified_at, now()), mail_token_hash = null,
    mail_token_expires_at = null, invited_as = $7, updated_at = now()
where guid = $1::uuid and business_id is null
returning guid, email
