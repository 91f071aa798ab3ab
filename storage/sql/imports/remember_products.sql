-- Stores the state of imported products.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[], $4 products uuid[], $5 digests text[],
-- $6 aside_skus text[] (with nulls), $7 variants text[] (with nulls)
insert into imported_products (business_id, integration_id, external_id, product_id, digest, aside_sku, variants)
select $1, $2, n.external_id, n.product_id, n.digest, n.aside_sku, n.variants::jsonb
from unnest($3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[])
       n (external_id, product_id, digest, aside_sku, variants)
on conflict (business_id, integration_id, external_id) do update
set product_id = excluded.product_id, digest = excluded.digest, aside_sku = excluded.aside_sku,
    variants = excluded.variants
