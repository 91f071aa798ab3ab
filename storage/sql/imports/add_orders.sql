-- Adds new orders of a store.
-- $1 business uuid, $2 integration uuid, $3 orders jsonb (JSON array)
insert into orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city,
                    delivery_state, delivery_postal_code, delivery_country, total_value, currency, notes, integration_id,
                    external_id, created_at)
select $1, n.guid, n.number, n.status, n.customer,
\ir items.inc
       , n.street, n.city, n.state, n.postal_code, n.country, n.total, n.currency, n.notes, $2, n.external_id, n.created_at
from jsonb_to_recordset($3) n (guid uuid, number text, status text, customer uuid, items jsonb, street text, city text,
                               state text, postal_code text, country text, total numeric, currency text, notes text,
                               external_id text, created_at timestamptz)
