-- Returns a contact at a carrier.
-- $1 business uuid, $2 contact uuid
select guid, name, email, phone, role, carrier_id as "carrierId"
from carrier_contacts where business_id = $1 and guid = $2
