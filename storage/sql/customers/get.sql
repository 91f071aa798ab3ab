-- Returns a customer with all its fields.
-- $1 business uuid, $2 customer uuid
select guid, name, email, phone, company, street as "address.street", city as "address.city",
       state as "address.state", postal_code as "address.postalCode", country as "address.country",
       external_reference as "externalReference", coalesce(tags, '[]') as tags, metadata, contacts, reference_list as "references"
from customers where business_id = $1 and guid = $2 and deleted_at is null
