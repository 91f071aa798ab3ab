-- Returns the content of a shipment's label and the hash of the stored one. The service level has the
-- carrier's name for it. The weight is that of all packages, in the unit of the business's products; null
-- unless every package has one.
-- $1 business uuid, $2 shipment uuid
-- -> tracking_number text, carrier text or null, service_level text or null, packages int,
-- sender_name text or null, sender_company text or null, sender_street text or null, sender_city text or null,
-- sender_state text or null, sender_postal_code text or null, sender_country text or null,
-- sender_phone text or null, recipient_name text or null, recipient_company text or null,
-- recipient_street text or null, recipient_city text or null, recipient_state text or null,
-- recipient_postal_code text or null, recipient_country text or null, recipient_phone text or null,
-- weight text or null, order_number text or null, reference text or null,
-- carrier_tracking_number text or null, is_test boolean, connector text or null, label_status text or null,
-- content_hash bytea or null
select r.tracking_number, k.name as carrier,
       coalesce((select l ->> 'name' from jsonb_array_elements(k.service_levels) l
                 where l ->> 'code' = r.service_level limit 1), r.service_level) as service_level,
       jsonb_array_length(r.packages) as packages,
       r.sender_name, r.sender_company, r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code,
       r.sender_country, r.sender_phone, r.recipient_name, r.recipient_company, r.recipient_street, r.recipient_city,
       r.recipient_state, r.recipient_postal_code, r.recipient_country, r.recipient_phone,
       (select case when count(*) = count(w.weight) and round(sum(w.weight), 3) > 0
                    then trim_scale(round(sum(w.weight), 3)) || ' ' || coalesce(s.default_weight_unit, 'kg') end
        from jsonb_array_elements(r.packages) p
        cross join lateral (select case jsonb_typeof(p -> 'weight') when 'number'
                                        then (p ->> 'weight')::numeric end as weight) w) as weight,
       o.order_number, r.external_reference as reference, r.carrier_tracking_number,
       coalesce(c.test_mode, false) as is_test, case when c.is_active then c.connector end as connector, r.label_status,
       l.content_hash
from shipments r
left join carriers k on k.business_id in (r.business_id, catalogue_business())
  and k.guid = r.carrier_id
left join carrier_configurations c on c.business_id = r.business_id and c.carrier_id = r.carrier_id
left join orders o on o.business_id = r.business_id and o.guid = r.order_id
left join product_settings s on s.business_id = r.business_id
left join shipment_labels l on l.business_id = r.business_id and l.shipment_id = r.guid
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
