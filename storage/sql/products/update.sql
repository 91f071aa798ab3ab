-- Changes the given columns of a product. Returns whether it keeps a SKU, whether the metadata has room for the change,
-- and the product. Writes nothing if one of them is false or nothing changes.
-- $1 business uuid, $2 product uuid, $3 changes jsonb (JSON object by column; metadata by key)
-- -> keeps_sku boolean, has_room boolean, ...
with held as (
  select p as old from products p where p.business_id = $1 and p.guid = $2 and p.deleted_at is null for update
), merged as (
  select n.*, n.sku is not null or (held.old).sku is null as keeps_sku,
         metadata_keys(n.metadata) <= greatest(50, metadata_keys((held.old).metadata)) as has_room
  from held, jsonb_populate_record(held.old, merged_changes((held.old).metadata, $3)) n
), changed as (
  update products r
  set name = m.name, sku = m.sku, description = m.description, barcode = m.barcode, price = m.price, cost = m.cost,
      weight = m.weight, length = m.length, width = m.width, height = m.height,
      external_reference = m.external_reference, tags = m.tags, metadata = m.metadata
  from merged m
  where r.business_id = $1 and r.guid = m.guid and m.keeps_sku and m.has_room
    and (r.name, r.sku, r.description, r.barcode, r.price, r.cost, r.weight, r.length, r.width, r.height,
         r.external_reference, r.tags, r.metadata)
        is distinct from (m.name, m.sku, m.description, m.barcode, m.price, m.cost, m.weight, m.length, m.width, m.height,
                          m.external_reference, m.tags, m.metadata)
)
select keeps_sku, has_room, guid, name from merged
