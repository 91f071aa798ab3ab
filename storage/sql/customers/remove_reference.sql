-- Removes a reference from a customer.
-- $1 business uuid, $2 customer uuid, $3 reference uuid
update customers set reference_list = list_without(reference_list, $3::uuid::text)
where business_id = $1 and guid = $2 and deleted_at is null and list_element(reference_list, $3::uuid::text) is not null
