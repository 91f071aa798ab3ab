-- Replaces the values of a locked shipment. Writes nothing if nothing changes.
-- $1 business uuid, $2 shipment uuid, $3 customer uuid or null, $4 carrier uuid or null,
-- $5 service_level text or null, $6 instructions text or null, $7 collection_date timestamptz or null,
-- $8 packages jsonb or null (null: unchanged),
-- $9 sender_name text or null, $10 sender_street text or null, $11 sender_city text or null,
-- $12 sender_state text or null, $13 sender_postal_code text or null, $14 sender_country text or null,
-- $15 sender_phone text or null,
-- $16 recipient_name text or null, $17 recipient_street text or null, $18 recipient_city text or null,
-- $19 recipient_state text or null, $20 recipient_postal_code text or null, $21 recipient_country text or null,
-- $22 recipient_phone text or null
update shipments r
set customer_id = $3, carrier_id = $4, service_level = $5, instructions = $6, collection_date = $7,
    packages = coalesce($8, r.packages), sender_name = $9, sender_street = $10, sender_city = $11, sender_state = $12,
    sender_postal_code = $13, sender_country = $14, sender_phone = $15, recipient_name = $16, recipient_street = $17,
    recipient_city = $18, recipient_state = $19, recipient_postal_code = $20, recipient_country = $21,
    recipient_phone = $22
where r.business_id = $1 and r.guid = $2
  and (r.customer_id, r.carrier_id, r.service_level, r.instructions, r.collection_date, r.packages, r.sender_name,
       r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code, r.sender_country, r.sender_phone,
       r.recipient_name, r.recipient_street, r.recipient_city, r.recipient_state, r.recipient_postal_code,
       r.recipient_country, r.recipient_phone)
      is distinct from ($3, $4, $5, $6, $7, coalesce($8, r.packages), $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                        $19, $20, $21, $22)
