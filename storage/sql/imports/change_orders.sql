-- Writes the store's changes of locked orders and returns their guids. An item keeps the dimensions and the
-- values for customs that it has here; an order without a customer in the store keeps its customer. Carrier and service level are kept, unless the
-- shipping method has changed and the service mapping gives a carrier or a service level for it. If it gives only one of the
-- two, the order keeps the other one if the carrier has the service level. Unchanged orders are not written.
-- $1 business uuid, $2 orders jsonb (JSON array)
with changes as materialized (
  select n.guid, n.number, n.status, n.customer, n.total, n.currency, n.shipping_cost, n.carrier, n.level,
\columns values orders.imported n
         ,
\ir items.inc
         as listed
  from jsonb_to_recordset($2) n (guid uuid, number text, status text, customer uuid, items jsonb, total numeric,
                                 currency text, shipping_cost numeric, carrier uuid, level text,
\columns typed orders.imported
                                 )
)
update orders r
set order_number = n.number, status = n.status, customer_id = coalesce(n.customer, r.customer_id), items = k.items,
    total_value = n.total, currency = n.currency, source_type = 'import', shipping_cost = n.shipping_cost,
    carrier_id = k.carrier, service_level = k.level,
\columns assign orders.imported n
from changes n
join orders o on o.business_id = $1 and o.guid = n.guid
cross join lateral (
  select o.shipping_method is not null and o.shipping_method is distinct from n.shipping_method as has_new_method
) m
left join lateral (
  select coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') as levels from carriers k
  where m.has_new_method and k.business_id in ($1, catalogue_business()) and k.guid = coalesce(n.carrier, o.carrier_id)
    and k.deleted_at is null
) c on true
cross join lateral (
  select coalesce(jsonb_agg(case when h.item is null then i.item
                                 else i.item || jsonb_build_object('dimensions', h.item -> 'dimensions')
                                      || jsonb_strip_nulls(jsonb_build_object(
                                           'hsCode', h.item -> 'hsCode', 'originCountry', h.item -> 'originCountry',
                                           'customsValue', h.item -> 'customsValue')) end
                            order by i.place), '[]') as items,
         case when n.carrier is not null and m.has_new_method then n.carrier
              when n.level is null or not m.has_new_method or c.levels ? n.level then o.carrier_id end as carrier,
         case when n.level is not null and m.has_new_method then n.level
              when n.carrier is null or not m.has_new_method or n.carrier = o.carrier_id or c.levels ? o.service_level
                then o.service_level end as level
  from jsonb_array_elements(n.listed) with ordinality i (item, place)
  left join lateral (select e.item from jsonb_array_elements(o.items::jsonb) e (item)
                     where e.item ->> 'guid' = i.item ->> 'guid' limit 1) h on true
) k
where r.business_id = $1 and r.guid = n.guid
  and (r.order_number, r.status, r.customer_id, r.items::jsonb, r.total_value, r.currency, r.source_type, r.shipping_cost,
       r.carrier_id, r.service_level,
\columns values orders.imported r
      ) is distinct from (n.number, n.status, coalesce(n.customer, r.customer_id), k.items, round(n.total, 2), n.currency,
                          'import', round(n.shipping_cost, 2), k.carrier, k.level,
\columns values orders.imported n
      )
returning r.guid
