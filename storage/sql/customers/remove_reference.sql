-- Removes a reference from a customer.
-- $1 business, $2 customer, $3 reference
update customers set reference_list = list_without(reference_list, $3)
where business_id = $1 and guid = $2 and deleted_at is null and list_element(reference_list, $3) is not null
