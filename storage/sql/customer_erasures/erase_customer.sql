-- Erases a locked customer.
-- $1 business uuid, $2 customer uuid
update customers r
set name = e.name, email = e.email, phone = e.phone, company = e.company, street = e.street, city = e.city, state = e.state,
    postal_code = e.postal_code, country = e.country, contacts = e.contacts, reference_list = e.reference_list,
    external_reference = e.external_reference, tags = e.tags, metadata = e.metadata
from (select (erased(c)).* from customers c where c.business_id = $1 and c.guid = $2) e
where r.business_id = $1 and r.guid = $2
