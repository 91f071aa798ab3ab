-- Returns the imported state of a store's products by id, and products with the given SKUs.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[], $4 skus text[]
-- -> kind text (id or sku), identifier text, product_id uuid, digest text or null (null for a SKU),
-- variants jsonb or null (JSON object: guids by the store's ids of variants)
select 'id' as kind, m.external_id as identifier, m.product_id, m.digest, m.variants
from imported_products m
where m.business_id = $1 and m.integration_id = $2 and m.external_id = any ($3::text[])
union all
select 'sku', s.sku, s.product_id, null, null
from product_skus s
where s.business_id = $1 and s.sku = any ($4::text[])
