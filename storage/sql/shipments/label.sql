-- Returns the content of a shipment's label and the hash of the stored one. The service level has the
-- carrier's name for it.
-- $1 business uuid, $2 shipment uuid
select r.tracking_number, k.name,
       coalesce((select l ->> 'name' from jsonb_array_elements(k.service_levels) l
                 where l ->> 'code' = r.service_level limit 1), r.service_level),
       jsonb_array_length(r.packages),
       r.sender_name, r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code, r.sender_country,
       r.sender_phone, r.recipient_name, r.recipient_street, r.recipient_city, r.recipient_state,
       r.recipient_postal_code, r.recipient_country, r.recipient_phone, l.content_hash
from shipments r
left join carriers k on k.business_id in (r.business_id, catalogue_business())
  and k.guid = r.carrier_id
left join shipment_labels l on l.business_id = r.business_id and l.shipment_id = r.guid
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
