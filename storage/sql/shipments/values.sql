-- Returns the values of a shipment, and the address that its carrier's pattern gives. Each change gives the shipment another
-- version.
-- $1 business uuid, $2 shipment uuid
-- -> status text, customer_id uuid or null, carrier_id uuid or null, service_level text or null,
-- instructions text or null, collection_date timestamptz or null, sender_name text or null,
-- sender_company text or null, sender_street text or null, sender_city text or null, sender_state text or null,
-- sender_postal_code text or null, sender_country text or null, sender_phone text or null,
-- recipient_name text or null, recipient_company text or null, recipient_street text or null,
-- recipient_city text or null, recipient_state text or null, recipient_postal_code text or null,
-- recipient_country text or null, recipient_phone text or null, recipient_email text or null,
-- carrier_tracking_number text or null, carrier_tracking_url text or null, made_tracking_url text or null,
-- external_reference text or null, tags jsonb or null, metadata jsonb or null, version text
select
\ir values.inc
from shipments r where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
