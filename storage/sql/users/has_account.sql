-- Returns whether an e-mail address has an account that a new registration would not replace.
-- $1 email text
-- -> is_known boolean
select exists (select from users u
               where lower(u.email) = lower($1) and u.password_hash is not null
                 and (u.verified_at is not null or u.mail_token_expires_at >= now())) as is_known
