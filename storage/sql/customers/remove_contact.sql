-- Removes a contact from a customer.
-- $1 business, $2 customer, $3 contact
update customers set contacts = list_without(contacts, $3)
where business_id = $1 and guid = $2 and deleted_at is null and list_element(contacts, $3) is not null
