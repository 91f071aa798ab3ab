-- Returns a product with all its fields.
-- $1 business uuid, $2 product uuid
select
/*fields*/
\columns answer products.answered r
\after description moves barcode
\instead variants
array_to_json(array(
         select json_build_object('guid', v -> 'guid', 'name', v -> 'name', 'sku', v -> 'sku')
         from jsonb_array_elements(r.variants) with ordinality e (v, n) order by n)) as variants
\end
/*end*/
from products r where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
