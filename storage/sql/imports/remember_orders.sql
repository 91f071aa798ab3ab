-- Stores the state of imported orders and deletes their failures.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[], $4 orders uuid[], $5 digests text[],
-- $6 statuses text[] (in the store)
with resolved as (
  delete from import_failures
  where business_id = $1 and integration_id = $2 and external_id = any ($3::text[])
)
insert into imported_orders (business_id, integration_id, external_id, order_id, digest, status)
select $1, $2, n.external_id, n.order_id, n.digest, n.status
from unnest($3::text[], $4::uuid[], $5::text[], $6::text[]) n (external_id, order_id, digest, status)
on conflict (business_id, integration_id, external_id) do update
set order_id = excluded.order_id, digest = excluded.digest, status = excluded.status
