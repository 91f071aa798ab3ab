-- Adds a shipment.
-- $1 business, $2 guid, $3 tracking number, $4 order, $5 customer, $6 carrier, $7 service level,
-- $8 instructions, $9 collection date, $10 packages, $11 sender's name, $12 sender's street,
-- $13 sender's city, $14 sender's state, $15 sender's postal code, $16 sender's country, $17 sender's phone,
-- $18 recipient's name, $19 recipient's street, $20 recipient's city, $21 recipient's state,
-- $22 recipient's postal code, $23 recipient's country, $24 recipient's phone
insert into shipments (business_id, guid, tracking_number, order_id, customer_id, carrier_id, service_level,
                       instructions, collection_date, packages, sender_name, sender_street, sender_city, sender_state,
                       sender_postal_code, sender_country, sender_phone, recipient_name, recipient_street,
                       recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
