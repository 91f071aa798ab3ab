-- Whether a business has the address $1 or a user with it.
select exists (select from businesses where lower(email) = lower($1))
    or exists (select from users where lower(email) = lower($1) and password_hash is not null and business_id is not null)
