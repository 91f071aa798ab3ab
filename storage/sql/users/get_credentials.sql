-- Returns the e-mail address and the password hash of a user.
-- $1 user uuid
-- -> email text, password_hash text or null
select email, password_hash from users where guid = $1::uuid
