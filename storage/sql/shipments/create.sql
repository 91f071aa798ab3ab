-- Adds a shipment. One that names no carrier has the business's default; one that names no service level has the default of
-- the business's account with the carrier, else the business's. A default that does not fit is not used: a service level is
-- one of the carrier. Packages without dimensions have the business's default dimensions, in the unit of
-- its products.
-- $1 business uuid, $2 guid uuid, $3 tracking_number text, $4 order uuid or null, $5 customer uuid or null,
-- $6 carrier uuid or null, $7 service_level text or null, $8 instructions text or null,
-- $9 collection_date timestamptz or null, $10 packages jsonb, $11 sender_name text or null,
-- $12 sender_company text or null, $13 sender_street text or null, $14 sender_city text or null,
-- $15 sender_state text or null, $16 sender_postal_code text or null, $17 sender_country text or null,
-- $18 sender_phone text or null, $19 recipient_name text or null, $20 recipient_company text or null,
-- $21 recipient_street text or null, $22 recipient_city text or null, $23 recipient_state text or null,
-- $24 recipient_postal_code text or null, $25 recipient_country text or null,
-- $26 recipient_phone text or null, $27 recipient_email text or null,
-- $28 carrier_tracking_number text or null, $29 carrier_tracking_url text or null,
-- $30 external_reference text or null, $31 tags jsonb or null, $32 metadata jsonb or null
insert into shipments (business_id, guid, tracking_number, order_id, customer_id, carrier_id, service_level, instructions,
                       collection_date, packages, sender_name, sender_company, sender_street, sender_city,
                       sender_state, sender_postal_code, sender_country, sender_phone, recipient_name,
                       recipient_company, recipient_street, recipient_city, recipient_state, recipient_postal_code,
                       recipient_country, recipient_phone, recipient_email, carrier_tracking_number,
                       carrier_tracking_url, external_reference, tags, metadata)
select b.guid, $2, $3, $4, $5,
       coalesce($6, case when $7::text is null or k.levels ? $7 then k.guid end),
       coalesce($7,
                (select f.default_service_level from carrier_configurations f
                 where f.business_id = $1 and f.carrier_id = k.guid and k.levels ? f.default_service_level),
                case when k.guid is null or k.levels ? d.service_level then d.service_level end),
       $8, $9,
       case when coalesce(d.length, d.width, d.height) is null then $10 else (
         select jsonb_agg(case when coalesce(p.item ->> 'length', p.item ->> 'width', p.item ->> 'height') is null
                               then p.item || m.dimensions else p.item end order by p.place)
         from jsonb_array_elements($10) with ordinality p (item, place)
         cross join (select jsonb_build_object('length', in_unit(coalesce(d.length, 30), coalesce(d.unit, 'cm'), u.unit),
                                               'width', in_unit(coalesce(d.width, 20), coalesce(d.unit, 'cm'), u.unit),
                                               'height', in_unit(coalesce(d.height, 10), coalesce(d.unit, 'cm'), u.unit))
                              as dimensions
                     from (select coalesce((select s.default_unit from product_settings s where s.business_id = b.guid),
                                           'cm') as unit) u) m) end,
       $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32
from businesses b
left join business_defaults d on d.business_id = b.guid
left join lateral (
  select c.guid, coalesce(jsonb_path_query_array(c.service_levels, '$[*].code'), '[]') as levels from carriers c
  where c.business_id in (b.guid, catalogue_business()) and c.guid = coalesce($6, d.carrier_id)
    and c.deleted_at is null
) k on true
where b.guid = $1
