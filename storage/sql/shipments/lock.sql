-- Locks a shipment and returns its current values.
-- $1 business uuid, $2 shipment uuid
-- -> status text, customer_id uuid or null, carrier_id uuid or null, service_level text or null,
-- instructions text or null, collection_date timestamptz or null, sender_name text or null,
-- sender_street text or null, sender_city text or null, sender_state text or null,
-- sender_postal_code text or null, sender_country text or null, sender_phone text or null,
-- recipient_name text or null, recipient_street text or null, recipient_city text or null,
-- recipient_state text or null, recipient_postal_code text or null, recipient_country text or null,
-- recipient_phone text or null
select status, customer_id, carrier_id, service_level, instructions, collection_date, sender_name, sender_street,
       sender_city, sender_state, sender_postal_code, sender_country, sender_phone, recipient_name, recipient_street,
       recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone
from shipments where business_id = $1 and guid = $2 and deleted_at is null
for update
