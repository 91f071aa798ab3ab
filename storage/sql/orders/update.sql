-- Replaces the values of orders that still have the given versions, and returns those orders as they are then, but without the
-- name of a customer that this statement adds. An order that another transaction has locked is left out. An import keeps its
-- total; that of another order follows its items. Writes nothing for an order that does not change.
-- runs: shared
-- $1 business uuid, $2 orders json (an array of objects with the columns of `given`; without items they stay)
with given as materialized (
  select g.* from json_to_recordset($2::json) as g (
    guid uuid, version text, number text, customer uuid, customer_name text, customer_email text, customer_phone text,
    items json, carrier uuid, service_level text, currency text, window_start text, window_end text,
\columns typed orders.merged
  )
), held as materialized (
  select o.guid, coalesce(g.items, o.items) as new_items,
         g.items is not null and o.items::jsonb <> g.items::jsonb as has_other_items
  from given g join orders o on o.business_id = $1 and o.guid = g.guid
  where o.xmin::text = g.version
  for no key update of o skip locked
), changes as materialized (
  select h.new_items, h.has_other_items, g.*,
         coalesce(g.customer, case when g.customer_name is not null
           then find_or_add_customer($1, g.customer_name, g.customer_email, g.customer_phone) end) as customer_id
  from held h join given g on g.guid = h.guid
), written as (
  update orders r
  set customer_id = n.customer_id, order_number = n.number, items = n.new_items,
      total_value = case when r.integration_id is not null or not n.has_other_items then r.total_value
                         else items_value(n.new_items) end,
      carrier_id = n.carrier, service_level = n.service_level, currency = n.currency, collection_start = n.window_start,
      collection_end = n.window_end,
\columns assign orders.merged n
  from changes n
  where r.business_id = $1 and r.guid = n.guid
    and (n.has_other_items or (r.customer_id, r.order_number, r.carrier_id, r.service_level, r.currency,
                               r.collection_start, r.collection_end,
\columns values orders.merged r
        ) is distinct from (n.customer_id, n.number, n.carrier, n.service_level, n.currency, n.window_start, n.window_end,
\columns values orders.merged n
        ))
\ir written.inc
