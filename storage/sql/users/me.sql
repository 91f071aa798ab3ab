-- Returns a user.
-- $1 user uuid
select guid, email, first_name as "firstName", last_name as "lastName", role from users where guid = $1::uuid
