-- Deletes an invitation and returns the role and names for the account that takes it.
-- $1 business uuid, $2 user uuid
-- -> role text, first_name text or null, last_name text or null
delete from users where business_id = $1::uuid and guid = $2::uuid and password_hash is null
returning role, first_name, last_name
