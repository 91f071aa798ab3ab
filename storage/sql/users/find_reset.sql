-- Returns whether a mailed token can reset a password.
-- $1 token_hash bytea
-- -> is_valid boolean
select exists (select from password_resets where token_hash = $1::bytea and expires_at > now()) as is_valid
