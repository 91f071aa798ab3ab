-- Returns whether an e-mail address belongs to a business or to a user with a password who is a member of
-- one.
-- $1 email text
-- -> is_known boolean
select exists (select from businesses where lower(email) = lower($1))
    or exists (select from users where lower(email) = lower($1) and password_hash is not null and business_id is not null)
       as is_known
