-- What is known of a store's products: $1 business, $2 integration, $3 their ids there, $4 SKUs of theirs.
select 'id', m.external_id, m.product_id, m.digest
from imported_products m
where m.business_id = $1 and m.integration_id = $2 and m.external_id = any ($3::text[])
union all
select 'sku', s.sku, s.product_id, null
from product_skus s
where s.business_id = $1 and s.sku = any ($4::text[])
