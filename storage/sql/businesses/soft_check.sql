-- Returns whether a business has an e-mail address or a user with an account at a business has it.
-- $1 e-mail
select exists (select from businesses where lower(email) = lower($1))
    or exists (select from users where lower(email) = lower($1) and password_hash is not null and business_id is not null)
