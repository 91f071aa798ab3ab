-- Stores the state of imported products.
-- $1 business, $2 integration, $3 store's product ids, $4 products, $5 digests
insert into imported_products (business_id, integration_id, external_id, product_id, digest)
select $1, $2, n.external_id, n.product_id, n.digest
from unnest($3::text[], $4::uuid[], $5::text[]) n (external_id, product_id, digest)
on conflict (business_id, integration_id, external_id) do update
set product_id = excluded.product_id, digest = excluded.digest
