-- Locks a user and returns the user's business.
-- $1 user uuid
-- -> business_id uuid or null
select business_id from users where guid = $1::uuid for update
