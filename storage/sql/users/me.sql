-- Returns a user.
-- $1 user
select guid, email, first_name as "firstName", last_name as "lastName", role from users where guid = $1::uuid
