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
    when metadata_keys((m.new).metadata) > greatest(50, metadata_keys((m.old).metadata))
      then 'invalid: metadata must have at most 50 keys'
    when jsonb_array_length(m.tags) > greatest(50, jsonb_array_length((m.old).tags))
      then 'invalid: tags must have at most 50 entries'
    else 'made' end as result
  from merged m
), changed as (
  update products r
  set name = (v.new).name, description = (v.new).description, price = (v.new).price, cost = (v.new).cost,
      external_reference = (v.new).external_reference,
      tags = v.tags, metadata = (v.new).metadata
  from verdict v
  where v.result = 'made' and r.business_id = $1::uuid and r.guid = $2::uuid
    and (r.name, r.description, r.price, r.cost, r.external_reference, r.tags, r.metadata)
        is distinct from ((v.new).name, (v.new).description, (v.new).price, (v.new).cost,
                          (v.new).external_reference, v.tags, (v.new).metadata)
)
select coalesce(split_part(v.result, ': ', 1), 'locked') as kind,
       case when v.result <> 'made' then substr(v.result, strpos(v.result, ': ') + 2) end as error, c.cause
from existing e left join verdict v on true,
     (select set_config('waybill.cause', $6::text, true) as cause) c
