-- Writes the store's values to a locked product. An unchanged product is not written.
-- $1 business uuid, $2 product uuid, $3 changes jsonb (JSON object by column)
update products r
set name = n.name, sku = n.sku, description = n.description, barcode = n.barcode, price = n.price, weight = n.weight,
    length = n.length, width = n.width, height = n.height, variants = n.variants
from products o cross join lateral jsonb_populate_record(o, $3) n
where o.business_id = $1 and o.guid = $2 and r.business_id = $1 and r.guid = o.guid
  and (r.name, r.sku, r.description, r.barcode, r.price, r.weight, r.length, r.width, r.height, r.variants)
      is distinct from
      (n.name, n.sku, n.description, n.barcode, n.price, n.weight, n.length, n.width, n.height, n.variants)
