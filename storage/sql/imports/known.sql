-- Returns the imported state of a store's orders. An order that is missing in imported_orders is returned
-- without a digest.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[]
-- -> external_id text, order_id uuid, digest text or null, status text or null
select m.external_id, m.order_id, m.digest, m.status
from imported_orders m
where m.business_id = $1 and m.integration_id = $2 and m.external_id = any ($3::text[])
union all
select o.external_id, o.guid, null, null
from orders o
where o.business_id = $1 and o.integration_id = $2 and o.external_id = any ($3::text[])
  and not exists (select from imported_orders m where m.business_id = $1 and m.integration_id = $2
                  and m.external_id = o.external_id)
