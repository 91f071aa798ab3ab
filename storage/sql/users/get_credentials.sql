-- Returns the e-mail address and the password hash of a user.
-- $1 user uuid
select email, password_hash from users where guid = $1::uuid
