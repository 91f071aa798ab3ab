-- The business of user $1, which stays until the transaction ends.
select business_id from users where guid = $1::uuid for update
