-- The address and the password hash of user $1.
select email, password_hash from users where guid = $1::uuid
