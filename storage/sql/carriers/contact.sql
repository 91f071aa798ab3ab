-- Returns a contact at a carrier.
-- $1 business, $2 contact
select guid, name, email, phone, role, carrier_id as "carrierId"
from carrier_contacts where business_id = $1 and guid = $2
