-- Returns a contact of a customer.
-- $1 business uuid, $2 customer uuid, $3 contact uuid
select found -> 'guid' as guid, found -> 'name' as name, found -> 'email' as email, found -> 'phone' as phone,
       found -> 'role' as role
from customers, list_element(contacts, $3::uuid::text) found
where business_id = $1 and guid = $2 and deleted_at is null and found is not null
