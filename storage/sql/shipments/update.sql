-- Replaces the values of a locked shipment. Writes nothing if nothing changes.
-- $1 business, $2 shipment, $3 customer, $4 carrier, $5 service level, $6 instructions, $7 collection date,
-- $8 packages (null: unchanged), $9 sender's name, $10 sender's street, $11 sender's city,
-- $12 sender's state, $13 sender's postal code, $14 sender's country, $15 sender's phone,
-- $16 recipient's name, $17 recipient's street, $18 recipient's city, $19 recipient's state,
-- $20 recipient's postal code, $21 recipient's country, $22 recipient's phone
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
