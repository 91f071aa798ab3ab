-- Changes the given columns of a customer. Returns whether the metadata has room for the change, and the customer.
-- Writes nothing if nothing changes.
-- runs: shared by update_shared
-- $1 business uuid, $2 customer uuid, $3 changes jsonb (JSON object by column; metadata by key)
-- -> guid uuid, has_room boolean, ...
with held as (
  select c as old, $3::jsonb as changes from customers c
  where c.business_id = $1 and c.guid = $2 and c.deleted_at is null for update
),
\ir change.inc
