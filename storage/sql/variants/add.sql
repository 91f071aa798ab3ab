-- Adds a variant to a product. A missing SKU is generated. Returns whether there was room, then the variant.
-- $1 business uuid, $2 product uuid, $3 variant jsonb
-- -> has_room boolean, ...
with held as (
  select guid, jsonb_array_length(variants) < 1000 as has_room from products
  where business_id = $1 and guid = $2 and deleted_at is null for update
), variant as (
  select h.guid, changed_element('{}', $3::jsonb)
                   || jsonb_build_object('sku', coalesce($3::jsonb ->> 'sku', next_sku($1))) as added
  from held h where h.has_room
), written as (
  update products r set variants = r.variants || jsonb_build_array(v.added) from variant v
  where r.business_id = $1 and r.guid = v.guid
)
select h.has_room, v.added -> 'guid' as guid, v.added -> 'name' as name, v.added -> 'sku' as sku
from held h left join variant v on true
