-- Replaces the values of a locked shipment. Writes nothing if nothing changes.
-- $1 business uuid, $2 shipment uuid, $3 customer uuid or null, $4 carrier uuid or null,
-- $5 service_level text or null, $6 instructions text or null, $7 collection_date timestamptz or null,
-- $8 packages jsonb or null (null: unchanged), $9 sender_name text or null, $10 sender_company text or null,
-- $11 sender_street text or null, $12 sender_city text or null, $13 sender_state text or null,
-- $14 sender_postal_code text or null, $15 sender_country text or null, $16 sender_phone text or null,
-- $17 recipient_name text or null, $18 recipient_company text or null, $19 recipient_street text or null,
-- $20 recipient_city text or null, $21 recipient_state text or null, $22 recipient_postal_code text or null,
-- $23 recipient_country text or null, $24 recipient_phone text or null, $25 recipient_email text or null,
-- $26 carrier_tracking_number text or null, $27 carrier_tracking_url text or null,
-- $28 external_reference text or null, $29 tags jsonb or null, $30 metadata jsonb or null
update shipments r
set customer_id = $3, carrier_id = $4, service_level = $5, instructions = $6, collection_date = $7, packages =
    coalesce($8, r.packages), sender_name = $9, sender_company = $10, sender_street = $11, sender_city = $12,
    sender_state = $13, sender_postal_code = $14, sender_country = $15, sender_phone = $16, recipient_name = $17,
    recipient_company = $18, recipient_street = $19, recipient_city = $20, recipient_state = $21,
    recipient_postal_code = $22, recipient_country = $23, recipient_phone = $24, recipient_email = $25,
    carrier_tracking_number = $26, carrier_tracking_url = $27, external_reference = $28, tags = $29, metadata = $30
where r.business_id = $1 and r.guid = $2
  and (r.customer_id, r.carrier_id, r.service_level, r.instructions, r.collection_date, r.packages, r.sender_name,
       r.sender_company, r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code, r.sender_country,
       r.sender_phone, r.recipient_name, r.recipient_company, r.recipient_street, r.recipient_city, r.recipient_state,
       r.recipient_postal_code, r.recipient_country, r.recipient_phone, r.recipient_email, r.carrier_tracking_number,
       r.carrier_tracking_url, r.external_reference, r.tags, r.metadata)
      is distinct from ($3, $4, $5, $6, $7, coalesce($8, r.packages), $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)
