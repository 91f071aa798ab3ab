-- Adds an order. Without a customer, the customer with the given contact data is found or added.
-- $1 business uuid, $2 order uuid, $3 number text or null, $4 status text, $5 customer uuid or null,
-- $6 customer_name text or null, $7 customer_email text or null, $8 customer_phone text or null,
-- $9 items json, $10 street text or null, $11 city text or null, $12 state text or null,
-- $13 postal_code text or null, $14 country text or null, $15 carrier uuid or null,
-- $16 service_level text or null, $17 currency text or null, $18 collection_date timestamptz or null,
-- $19 window_start text or null, $20 window_end text or null, $21 notes text or null
insert into orders (business_id, guid, customer_id, order_number, status, items, total_value, delivery_street,
                    delivery_city, delivery_state, delivery_postal_code, delivery_country, carrier_id, service_level,
                    currency, collection_date, collection_start, collection_end, notes)
select b.guid, $2, coalesce($5, find_or_add_customer(b.guid, $6, $7, $8)), coalesce($3, next_order_number(b.guid)), $4,
       $9, items_value($9), $10, $11, $12, $13, $14, $15, $16, coalesce($17, b.currency), $18, $19, $20, $21
from businesses b where b.guid = $1
