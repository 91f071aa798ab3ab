-- Returns a user.
-- $1 user uuid
select guid, email, first_name as "firstName", last_name as "lastName", role,
       coalesce(nullif(concat_ws(' ', first_name, last_name), ''), email) as name
from users where guid = $1::uuid
