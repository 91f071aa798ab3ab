-- Returns the products of a store that have other SKUs there than here, and those that were set aside because of a SKU.
-- $1 business uuid, $2 integration uuid
-- -> external_id text, product_id uuid, variants jsonb or null (JSON object: guids by the store's ids of variants),
-- wanted_skus jsonb or null (JSON object: SKUs or null by the store's ids of variants), aside_sku text or null
select external_id, product_id, variants, wanted_skus, null as aside_sku
from imported_products
where business_id = $1 and integration_id = $2 and wanted_skus is not null
union all
select external_id, product_id, null, null, aside_sku
from imported_products
where business_id = $1 and integration_id = $2 and digest like 'aside:%' and aside_sku is not null
