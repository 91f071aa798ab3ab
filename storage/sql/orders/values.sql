-- Returns the values of an order. Each change gives the order another version.
-- $1 business uuid, $2 order uuid
-- -> status text, customer_id uuid or null, items json, delivery_street text or null,
-- delivery_city text or null, delivery_state text or null, delivery_postal_code text or null,
-- delivery_country text or null, carrier_id uuid or null, service_level text or null,
-- collection_date timestamptz or null, collection_start text or null, collection_end text or null,
-- order_number text, currency text, notes text or null, delivery_name text or null,
-- delivery_company text or null, delivery_phone text or null, delivery_email text or null,
-- shipping_method text or null, shipping_cost numeric or null, external_reference text or null,
-- tags jsonb or null, metadata jsonb or null, version text
select
\ir values.inc
from orders o where o.business_id = $1 and o.guid = $2 and o.deleted_at is null
