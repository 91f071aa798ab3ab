-- Returns a product with all its fields.
-- $1 business uuid, $2 product uuid
select guid, name, sku, description, barcode, price, cost, weight, length as "dimensions.length",
       width as "dimensions.width", height as "dimensions.height", external_reference as "externalReference",
       coalesce(tags, '[]') as tags, metadata,
       array_to_json(array(
         select json_build_object('guid', v -> 'guid', 'name', v -> 'name', 'sku', v -> 'sku')
         from jsonb_array_elements(variants) with ordinality e (v, n) order by n)) as variants,
       created_at as "createdAt"
from products where business_id = $1 and guid = $2 and deleted_at is null
