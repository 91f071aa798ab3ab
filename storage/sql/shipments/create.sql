-- Adds shipments and returns them. One that names no carrier has the business's default; one that names no service level has
-- the default of the business's account with the carrier, else the business's. A default service level that the carrier does
-- not have is not used. Packages without dimensions have the business's default dimensions, in the unit of its products.
-- runs: shared
-- $1 business uuid, $2 shipments json (an array of objects with the columns of `g`)
-- -> guid uuid
insert into shipments (business_id, guid, tracking_number, order_id, customer_id, carrier_id, service_level, packages,
                       is_return, order_items, order_pieces,
\columns names shipments.merged
                       )
select b.guid, g.guid, g.tracking_number, g."order", g.customer,
       coalesce(g.carrier, case when g.service_level is null or k.levels ? g.service_level then k.guid end),
       coalesce(g.service_level,
                (select f.default_service_level from carrier_configurations f
                 where f.business_id = $1 and f.carrier_id = k.guid and k.levels ? f.default_service_level),
                case when k.guid is null or k.levels ? d.service_level then d.service_level end),
       case when coalesce(d.length, d.width, d.height) is null then g.packages else (
         select jsonb_agg(case when coalesce(p.item ->> 'length', p.item ->> 'width', p.item ->> 'height') is null
                               then p.item || m.dimensions else p.item end order by p.place)
         from jsonb_array_elements(g.packages) with ordinality p (item, place)
         cross join (select jsonb_build_object('length', in_unit(coalesce(d.length, 30), coalesce(d.unit, 'cm'), u.unit),
                                               'width', in_unit(coalesce(d.width, 20), coalesce(d.unit, 'cm'), u.unit),
                                               'height', in_unit(coalesce(d.height, 10), coalesce(d.unit, 'cm'), u.unit))
                              as dimensions
                     from (select coalesce((select s.default_unit from product_settings s where s.business_id = b.guid),
                                           'cm') as unit) u) m) end,
       coalesce(g.is_return, false), g.order_items, g.order_pieces,
\columns values shipments.merged g
from json_to_recordset($2::json) as g (
  guid uuid, tracking_number text, "order" uuid, customer uuid, carrier uuid, service_level text, packages jsonb,
  is_return boolean, order_items uuid[], order_pieces jsonb,
\columns typed shipments.merged
)
join businesses b on b.guid = $1
left join business_defaults d on d.business_id = b.guid
left join lateral (
  select c.guid, coalesce(jsonb_path_query_array(c.service_levels, '$[*].code'), '[]') as levels from carriers c
  where c.business_id in (b.guid, catalogue_business()) and c.guid = coalesce(g.carrier, d.carrier_id)
    and c.deleted_at is null
  limit 1  -- keeps the planner from reading all carriers
) k on true
order by g.tracking_number
returning guid
