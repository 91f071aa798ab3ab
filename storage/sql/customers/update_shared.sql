-- Changes the given columns of several customers, each as update.sql does. A customer that does not exist, or that another
-- transaction has locked, is left out, so that the others do not wait.
-- $1 business uuid, $2 entries jsonb (an array of objects with the parameters of update.sql by name)
-- -> guid uuid, has_room boolean, ...
with given as materialized (
  select (e ->> 'customer')::uuid as guid, e -> 'changes' as changes from jsonb_array_elements($2) e
), held as materialized (
  select h.old, g.changes
  from given g
  cross join lateral (select c as old from customers c
                      where c.business_id = $1 and c.guid = g.guid and c.deleted_at is null
                      for update skip locked) h
),
\ir change.inc
