-- Locks a shipment and returns its current values.
-- $1 business uuid, $2 shipment uuid
select status, customer_id, carrier_id, service_level, instructions, collection_date, sender_name, sender_street,
       sender_city, sender_state, sender_postal_code, sender_country, sender_phone, recipient_name, recipient_street,
       recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone
from shipments where business_id = $1 and guid = $2 and deleted_at is null
for update
