-- Adds a shipment.
-- $1 business uuid, $2 guid uuid, $3 tracking_number text, $4 order uuid or null, $5 customer uuid or null,
-- $6 carrier uuid or null, $7 service_level text or null, $8 instructions text or null,
-- $9 collection_date timestamptz or null, $10 packages jsonb,
-- $11 sender_name text or null, $12 sender_street text or null, $13 sender_city text or null,
-- $14 sender_state text or null, $15 sender_postal_code text or null, $16 sender_country text or null,
-- $17 sender_phone text or null,
-- $18 recipient_name text or null, $19 recipient_street text or null, $20 recipient_city text or null,
-- $21 recipient_state text or null, $22 recipient_postal_code text or null, $23 recipient_country text or null,
-- $24 recipient_phone text or null
insert into shipments (business_id, guid, tracking_number, order_id, customer_id, carrier_id, service_level,
                       instructions, collection_date, packages, sender_name, sender_street, sender_city, sender_state,
                       sender_postal_code, sender_country, sender_phone, recipient_name, recipient_street,
                       recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
