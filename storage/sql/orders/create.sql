-- Adds an order. Without a customer, the customer with the given contact data is found or added.
-- $1 business, $2 guid, $3 number or null, $4 status, $5 customer or null, $6 customer's name,
-- $7 customer's e-mail, $8 customer's phone, $9 items, $10 street, $11 city, $12 state, $13 postal code,
-- $14 country, $15 carrier, $16 service level, $17 currency or null, $18 collection date,
-- $19 start of the time window, $20 end of the time window, $21 notes
insert into orders (business_id, guid, customer_id, order_number, status, items, total_value, delivery_street,
                    delivery_city, delivery_state, delivery_postal_code, delivery_country, carrier_id, service_level,
                    currency, collection_date, collection_start, collection_end, notes)
select b.guid, $2, coalesce($5, find_or_add_customer(b.guid, $6, $7, $8)), coalesce($3, next_order_number(b.guid)), $4,
       $9, items_value($9), $10, $11, $12, $13, $14, $15, $16, coalesce($17, b.currency), $18, $19, $20, $21
from businesses b where b.guid = $1
