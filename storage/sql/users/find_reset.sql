-- Returns whether a mailed token can reset a password.
-- $1 hash_of_token bytea
select exists (select from password_resets where token_hash = $1::bytea and expires_at > now())
