-- Adds a product and returns it. A missing SKU is generated.
-- $1 business uuid, $2 columns jsonb (JSON object)
-- -> guid uuid, ...
insert into products (business_id, name, sku, description, barcode, price, cost, weight, length, width, height,
                      external_reference, tags, metadata)
select $1, n.name, coalesce(n.sku, next_sku($1)), n.description, n.barcode, n.price, n.cost, n.weight, n.length, n.width,
       n.height, n.external_reference, n.tags, n.metadata
from jsonb_populate_record(null::products, merged_changes(null, $2)) n
returning guid, name, sku
