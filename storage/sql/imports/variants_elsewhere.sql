-- Returns the variants of a product that also came from other products of stores, unless the store was removed.
-- $1 business uuid, $2 product uuid, $3 integration uuid, $4 external_id text
-- -> variant text
select v.variant
from imported_products m
join integrations i on i.business_id = $1 and i.guid = m.integration_id and i.removed_at is null
cross join jsonb_each_text(m.variants) v (id, variant)
where m.business_id = $1 and m.product_id = $2 and (m.integration_id, m.external_id) <> ($3, $4)
