-- Adds a new product of a store.
-- $1 business uuid, $2 product jsonb (JSON object by column)
insert into products (business_id, guid, name, sku, description, barcode, price, weight, length, width, height, variants)
select $1, n.guid, n.name, n.sku, n.description, n.barcode, n.price, n.weight, n.length, n.width, n.height, n.variants
from jsonb_populate_record(null::products, $2) n
