-- Locks an order and returns its current values.
-- $1 business uuid, $2 order uuid
-- -> status text, customer_id uuid or null, items json, delivery_street text or null,
-- delivery_city text or null, delivery_state text or null, delivery_postal_code text or null,
-- delivery_country text or null, carrier_id uuid or null, service_level text or null,
-- collection_date timestamptz or null, collection_start text or null, collection_end text or null,
-- order_number text, currency text, notes text or null, delivery_name text or null,
-- delivery_company text or null, delivery_phone text or null, delivery_email text or null,
-- shipping_method text or null, shipping_cost numeric or null, external_reference text or null,
-- tags jsonb or null, metadata jsonb or null
select status, customer_id, items, delivery_street, delivery_city, delivery_state, delivery_postal_code,
       delivery_country, carrier_id, service_level, collection_date, collection_start, collection_end, order_number,
       currency, notes, delivery_name, delivery_company, delivery_phone, delivery_email, shipping_method, shipping_cost,
       external_reference, tags, metadata
from orders where business_id = $1 and guid = $2 and deleted_at is null
for update
