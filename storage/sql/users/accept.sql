-- Turns an invitation into an account and returns it.
-- $1 business uuid, $2 user uuid, $3 password_hash text
update users
set password_hash = $3, verified_at = now(), mail_token_hash = null, mail_token_expires_at = null, updated_at = now()
where business_id = $1::uuid and guid = $2::uuid
returning guid, email
