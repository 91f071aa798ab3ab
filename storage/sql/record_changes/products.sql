-- Changes the given columns of a product, without waiting for locks. Returns no row if it does not exist; otherwise
-- the kind of the result (made, locked: another transaction holds it, invalid: a value is not valid) and its reason.
-- Nothing changes unless the kind is made.
-- $1 business uuid, $2 record uuid, $3 changes jsonb (by column; metadata by key), $4 added_tags text[],
-- $5 removed_tags text[], $6 cause text
-- -> kind text, error text or null, ...
with existing as materialized (
  select guid from products where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
), held as materialized (
  select r as old from products r
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null for no key update skip locked
), merged as materialized (
  select held.old, n as new, changed_tags((held.old).tags, $4::text[], $5::text[]) as tags
  from held, jsonb_populate_record(held.old, merged_changes((held.old).metadata, $3::jsonb)) n
), verdict as materialized (
  select m.*, case
\ir own_data_limits.inc
    else 'made' end as result
  from merged m
), changed as (
  update products r
  set
\columns assign products.settable (v.new)
      , tags = v.tags, metadata = (v.new).metadata
  from verdict v
  where v.result = 'made' and r.business_id = $1::uuid and r.guid = $2::uuid
    and (
\columns values products.settable r
         , r.tags, r.metadata
        ) is distinct from (
\columns values products.settable (v.new)
         , v.tags, (v.new).metadata
        )
)
\ir verdict.inc
