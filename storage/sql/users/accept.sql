-- Turns an invitation into an account and returns it.
-- $1 business, $2 user, $3 password hash
update users
set password_hash = $3, verified_at = now(), mail_token_hash = null, mail_token_expires_at = null, updated_at = now()
where business_id = $1::uuid and guid = $2::uuid
returning guid, email
