-- Changes the given columns of orders that are not shipped yet, and returns those orders as they are then. An order that does
-- not exist, is shipped, would have too many keys of metadata, or that another transaction has locked is left out. Writes
-- nothing for an order that does not change.
-- $1 business uuid, $2 orders jsonb (an array of objects: guid, and changes by column; metadata by key)
with given as materialized (
  select (e ->> 'guid')::uuid as guid, e -> 'changes' as changes from jsonb_array_elements($2) e
), held as materialized (
  select n.guid, n.delivery_street, n.delivery_city, n.delivery_state, n.delivery_postal_code, n.delivery_country,
         n.delivery_name, n.delivery_company, n.delivery_phone, n.delivery_email, n.collection_date, n.notes,
         n.shipping_method, n.shipping_cost, n.external_reference, n.tags, n.metadata
  from given g
  cross join lateral (select o as old from orders o
                      where o.business_id = $1 and o.guid = g.guid and o.deleted_at is null
                        and o.status not in ('shipped', 'delivered')
                      for no key update skip locked) h
  -- merged_changes would return the changes as they are without metadata, which takes about 3 µs an order.
  cross join lateral jsonb_populate_record(h.old, case when g.changes ? 'metadata'
                                                       then merged_changes((h.old).metadata, g.changes) else g.changes end) n
  where not g.changes ? 'metadata' or metadata_keys(n.metadata) <= 50
), written as (
  update orders r
  set delivery_street = n.delivery_street, delivery_city = n.delivery_city, delivery_state = n.delivery_state,
      delivery_postal_code = n.delivery_postal_code, delivery_country = n.delivery_country, delivery_name = n.delivery_name,
      delivery_company = n.delivery_company, delivery_phone = n.delivery_phone, delivery_email = n.delivery_email,
      collection_date = n.collection_date, notes = n.notes, shipping_method = n.shipping_method,
      shipping_cost = n.shipping_cost, external_reference = n.external_reference, tags = n.tags, metadata = n.metadata
  from held n
  where r.business_id = $1 and r.guid = n.guid
    and (r.delivery_street, r.delivery_city, r.delivery_state, r.delivery_postal_code, r.delivery_country, r.delivery_name,
         r.delivery_company, r.delivery_phone, r.delivery_email, r.collection_date, r.notes, r.shipping_method,
         r.shipping_cost, r.external_reference, r.tags, r.metadata)
        is distinct from (n.delivery_street, n.delivery_city, n.delivery_state, n.delivery_postal_code, n.delivery_country,
                          n.delivery_name, n.delivery_company, n.delivery_phone, n.delivery_email, n.collection_date,
                          n.notes, n.shipping_method, n.shipping_cost, n.external_reference, n.tags, n.metadata)
\ir written.inc
