-- Returns a business's contacts at its carriers, by name.
-- $1 business uuid
select guid, name, email, phone, role, carrier_id as "carrierId"
from carrier_contacts where business_id = $1
order by name, guid limit 1000
