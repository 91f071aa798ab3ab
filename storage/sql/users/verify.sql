-- Verifies the account of a mailed token and returns its guid.
-- $1 token_hash bytea
update users set verified_at = now(), mail_token_hash = null, mail_token_expires_at = null, updated_at = now()
where mail_token_hash = $1::bytea and mail_token_expires_at > now() and password_hash is not null
returning guid
