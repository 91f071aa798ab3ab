-- Removes a contact from a customer.
-- $1 business uuid, $2 customer uuid, $3 contact uuid
update customers set contacts = list_without(contacts, $3::uuid::text)
where business_id = $1 and guid = $2 and deleted_at is null and list_element(contacts, $3::uuid::text) is not null
