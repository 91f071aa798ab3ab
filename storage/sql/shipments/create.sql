-- Adds a shipment.
-- $1 business uuid, $2 guid uuid, $3 tracking_number text, $4 order uuid, $5 customer uuid, $6 carrier uuid,
-- $7 service_level text, $8 instructions text, $9 collection_date timestamptz, $10 packages jsonb,
-- $11 sender_name text, $12 sender_street text, $13 sender_city text, $14 sender_state text,
-- $15 sender_postal_code text, $16 sender_country text, $17 sender_phone text, $18 recipient_name text,
-- $19 recipient_street text, $20 recipient_city text, $21 recipient_state text,
-- $22 recipient_postal_code text, $23 recipient_country text, $24 recipient_phone text
insert into shipments (business_id, guid, tracking_number, order_id, customer_id, carrier_id, service_level,
                       instructions, collection_date, packages, sender_name, sender_street, sender_city, sender_state,
                       sender_postal_code, sender_country, sender_phone, recipient_name, recipient_street,
                       recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
