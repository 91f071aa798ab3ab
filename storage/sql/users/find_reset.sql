-- Returns whether a mailed token can reset a password.
-- $1 hash of the token
select exists (select from password_resets where token_hash = $1::bytea and expires_at > now())
