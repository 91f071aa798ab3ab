-- Answers whether the mail's token with the hash $1 is an invitation that stands.
select exists (select from users where mail_token_hash = $1::bytea and mail_token_expires_at > now()
                                   and password_hash is null)
