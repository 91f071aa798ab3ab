-- Returns the content of a shipment's label and the hash of the stored one. The service level has the
-- carrier's name for it.
-- $1 business uuid, $2 shipment uuid
-- -> tracking_number text, carrier text or null, service_level text or null, packages int,
-- sender_name text or null, sender_street text or null, sender_city text or null, sender_state text or null,
-- sender_postal_code text or null, sender_country text or null, sender_phone text or null,
-- recipient_name text or null, recipient_street text or null, recipient_city text or null,
-- recipient_state text or null, recipient_postal_code text or null, recipient_country text or null,
-- recipient_phone text or null, content_hash bytea or null
select r.tracking_number, k.name as carrier,
       coalesce((select l ->> 'name' from jsonb_array_elements(k.service_levels) l
                 where l ->> 'code' = r.service_level limit 1), r.service_level) as service_level,
       jsonb_array_length(r.packages) as packages,
       r.sender_name, r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code, r.sender_country,
       r.sender_phone, r.recipient_name, r.recipient_street, r.recipient_city, r.recipient_state,
       r.recipient_postal_code, r.recipient_country, r.recipient_phone, l.content_hash
from shipments r
left join carriers k on k.business_id in (r.business_id, catalogue_business())
  and k.guid = r.carrier_id
left join shipment_labels l on l.business_id = r.business_id and l.shipment_id = r.guid
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
