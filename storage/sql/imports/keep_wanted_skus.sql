-- Stores the SKUs that products wait for.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[], $4 wanted_skus text[] (with nulls)
update imported_products m
set wanted_skus = w.skus::jsonb
from unnest($3::text[], $4::text[]) w (external_id, skus)
where m.business_id = $1 and m.integration_id = $2 and m.external_id = w.external_id
  and m.wanted_skus is distinct from w.skus::jsonb
