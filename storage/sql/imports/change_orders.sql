-- Writes the store's changes of locked orders and returns their guids. An item keeps the dimensions that it
-- was given here; an order without a customer in the store keeps its customer. Unchanged orders are not
-- written.
-- $1 business uuid, $2 orders jsonb (JSON array)
with changes as materialized (
  select n.*,
\ir items.inc
         as listed
  from jsonb_to_recordset($2) n (guid uuid, number text, status text, customer uuid, items jsonb, street text, city text,
                                 state text, postal_code text, country text, total numeric, currency text, notes text)
)
update orders r
set order_number = n.number, status = n.status, customer_id = coalesce(n.customer, r.customer_id), items = k.items,
    delivery_street = n.street, delivery_city = n.city, delivery_state = n.state,
    delivery_postal_code = n.postal_code, delivery_country = n.country, total_value = n.total, currency = n.currency,
    notes = n.notes
from changes n
join orders o on o.business_id = $1 and o.guid = n.guid
cross join lateral (
  select coalesce(jsonb_agg(i.item || jsonb_build_object('dimensions', h.item -> 'dimensions') order by i.place), '[]')
    as items
  from jsonb_array_elements(n.listed) with ordinality i (item, place)
  left join lateral (select e.item from jsonb_array_elements(o.items::jsonb) e (item)
                     where e.item ->> 'guid' = i.item ->> 'guid' limit 1) h on true
) k
where r.business_id = $1 and r.guid = n.guid
  and (r.order_number, r.status, r.customer_id, r.items::jsonb, r.delivery_street, r.delivery_city, r.delivery_state,
       r.delivery_postal_code, r.delivery_country, r.total_value, r.currency, r.notes)
      is distinct from
      (n.number, n.status, coalesce(n.customer, r.customer_id), k.items, n.street, n.city, n.state, n.postal_code,
       n.country, round(n.total, 2), n.currency, n.notes)
returning r.guid
