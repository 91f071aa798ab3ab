-- Adds an order. Without a customer, the customer with the given contact data is found or added. An order that names no
-- carrier or service level has the business's default, unless the two do not fit: a service level is one of the carrier.
-- Items without lengths have the business's default dimensions, in the unit of its products.
-- $1 business uuid, $2 order uuid, $3 number text or null, $4 status text, $5 customer uuid or null,
-- $6 customer_name text or null, $7 customer_email text or null, $8 customer_phone text or null,
-- $9 items json, $10 street text or null, $11 city text or null, $12 state text or null,
-- $13 postal_code text or null, $14 country text or null, $15 carrier uuid or null,
-- $16 service_level text or null, $17 currency text or null, $18 collection_date timestamptz or null,
-- $19 window_start text or null, $20 window_end text or null, $21 notes text or null,
-- $22 delivery_name text or null, $23 delivery_company text or null, $24 delivery_phone text or null,
-- $25 delivery_email text or null, $26 shipping_method text or null, $27 shipping_cost numeric or null,
-- $28 external_reference text or null, $29 tags jsonb or null, $30 metadata jsonb or null
insert into orders (business_id, guid, customer_id, order_number, status, items, total_value, delivery_street,
                    delivery_city, delivery_state, delivery_postal_code, delivery_country, carrier_id, service_level,
                    currency, collection_date, collection_start, collection_end, notes, delivery_name, delivery_company,
                    delivery_phone, delivery_email, shipping_method, shipping_cost, external_reference, tags, metadata)
select b.guid, $2, coalesce($5, find_or_add_customer(b.guid, $6, $7, $8)), coalesce($3, next_order_number(b.guid)), $4,
       case when coalesce(d.length, d.width, d.height) is null then $9 else (
         select json_agg(case when coalesce(i.given ->> 'length', i.given ->> 'width', i.given ->> 'height') is not null
                              then i.item
                              else (i.item::jsonb || jsonb_build_object(
                                      'dimensions', m.lengths || jsonb_build_object('weight', i.given -> 'weight')))::json
                              end order by i.place)
         from (select e.item, e.item -> 'dimensions' as given, e.place
               from json_array_elements($9) with ordinality e (item, place)) i
         cross join (select jsonb_build_object(
                              'length', in_unit(coalesce(d.length, 30), coalesce(d.unit, 'cm'), u.unit),
                              'width', in_unit(coalesce(d.width, 20), coalesce(d.unit, 'cm'), u.unit),
                              'height', in_unit(coalesce(d.height, 10), coalesce(d.unit, 'cm'), u.unit)) as lengths
                     from (select coalesce((select s.default_unit from product_settings s where s.business_id = b.guid),
                                           'cm') as unit) u) m) end,
       items_value($9), $10, $11, $12, $13, $14,
       coalesce($15, case when $16::text is null or k.levels ? $16 then k.guid end),
       coalesce($16, case when k.guid is null or k.levels ? d.service_level then d.service_level end),
       coalesce($17, b.currency), $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30
from businesses b
left join business_defaults d on d.business_id = b.guid
left join lateral (
  select c.guid, coalesce(jsonb_path_query_array(c.service_levels, '$[*].code'), '[]') as levels from carriers c
  where c.business_id in (b.guid, catalogue_business()) and c.guid = coalesce($15, d.carrier_id) and c.deleted_at is null
) k on true
where b.guid = $1
