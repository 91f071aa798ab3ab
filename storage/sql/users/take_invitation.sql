-- Removes an invitation, whose account is to have its role: $1 business, $2 guid.
delete from users where business_id = $1::uuid and guid = $2::uuid and password_hash is null
returning role, first_name, last_name
