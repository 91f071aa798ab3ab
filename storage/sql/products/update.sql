-- Changes the given columns of a product. Returns whether it keeps a SKU, whether the metadata has room for the change,
-- and the product. Writes nothing if one of them is false or nothing changes.
-- runs: shared by update_shared
-- $1 business uuid, $2 product uuid, $3 changes jsonb (JSON object by column; metadata by key)
-- -> guid uuid, keeps_sku boolean, has_room boolean, ...
with held as (
  select p as old, $3::jsonb as changes from products p
  where p.business_id = $1 and p.guid = $2 and p.deleted_at is null for update
),
\ir change.inc
