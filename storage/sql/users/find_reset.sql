-- Answers whether the mail's token with the hash $1 resets a password.
select exists (select from password_resets where token_hash = $1::bytea and expires_at > now())
