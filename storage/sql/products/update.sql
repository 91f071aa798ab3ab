-- Changes the given columns of a product. Returns whether the change is valid (it must not remove a SKU), and
-- the product. Writes nothing if nothing changes.
-- $1 business uuid, $2 product uuid, $3 changes jsonb (JSON object by column)
-- -> is_good boolean, ...
with held as (
  select p as old from products p where p.business_id = $1 and p.guid = $2 and p.deleted_at is null for update
), merged as (
  select n.*, n.sku is not null or (held.old).sku is null as is_good
  from held, jsonb_populate_record(held.old, $3) n
), changed as (
  update products r
  set name = m.name, sku = m.sku, description = m.description, barcode = m.barcode, price = m.price, cost = m.cost,
      weight = m.weight, length = m.length, width = m.width, height = m.height
  from merged m
  where r.business_id = $1 and r.guid = m.guid and m.is_good
    and (r.name, r.sku, r.description, r.barcode, r.price, r.cost, r.weight, r.length, r.width, r.height)
        is distinct from (m.name, m.sku, m.description, m.barcode, m.price, m.cost, m.weight, m.length, m.width, m.height)
)
select is_good, guid, name from merged
