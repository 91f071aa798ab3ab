-- A new shipment: $1 business, $2 guid, $3 tracking number, $4 order, $5 customer, $6 carrier, $7 service level,
-- $8 instructions, $9 collection date, $10 packages, $11 to $17 the sender's name, street, city, state, postal code,
-- country and phone, $18 to $24 the recipient's.
insert into shipments (business_id, guid, tracking_number, order_id, customer_id, carrier_id, service_level,
                       instructions, collection_date, packages, sender_name, sender_street, sender_city, sender_state,
                       sender_postal_code, sender_country, sender_phone, recipient_name, recipient_street,
                       recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
