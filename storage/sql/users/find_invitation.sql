-- Returns whether a mailed token belongs to a valid invitation.
-- $1 token_hash bytea
-- -> is_valid boolean
select exists (select from users where mail_token_hash = $1::bytea and mail_token_expires_at > now()
                                   and password_hash is null) as is_valid
