-- Changes the given columns of orders that are not shipped yet, and returns those orders as they are then. An order that does
-- not exist, is shipped, would have too many keys of metadata, or that another transaction has locked is left out. Writes
-- nothing for an order that does not change.
-- runs: shared
-- $1 business uuid, $2 orders jsonb (an array of objects: guid, and changes by column; metadata by key)
with given as materialized (
  select (e ->> 'guid')::uuid as guid, e -> 'changes' as changes from jsonb_array_elements($2) e
), held as materialized (
  select n.guid,
\columns values orders.merged n
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
  set
\columns assign orders.merged n
  from held n
  where r.business_id = $1 and r.guid = n.guid
    and (
\columns values orders.merged r
        ) is distinct from (
\columns values orders.merged n
        )
\ir written.inc
