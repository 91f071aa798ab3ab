-- Adds an order. Without a customer, the customer with the given contact data is found or added.
-- $1 business uuid, $2 guid uuid, $3 number text or null, $4 status text, $5 customer uuid or null,
-- $6 customer_name text, $7 customer_email text, $8 customer_phone text, $9 items json, $10 street text,
-- $11 city text, $12 state text, $13 postal_code text, $14 country text, $15 carrier uuid,
-- $16 service_level text, $17 currency text or null, $18 collection_date timestamptz,
-- $19 start_of_time_window text, $20 end_of_time_window text, $21 notes text
insert into orders (business_id, guid, customer_id, order_number, status, items, total_value, delivery_street,
                    delivery_city, delivery_state, delivery_postal_code, delivery_country, carrier_id, service_level,
                    currency, collection_date, collection_start, collection_end, notes)
select b.guid, $2, coalesce($5, find_or_add_customer(b.guid, $6, $7, $8)), coalesce($3, next_order_number(b.guid)), $4,
       $9, items_value($9), $10, $11, $12, $13, $14, $15, $16, coalesce($17, b.currency), $18, $19, $20, $21
from businesses b where b.guid = $1
