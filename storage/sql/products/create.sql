-- Adds products and returns them. Missing SKUs are generated. These products are first, the others in the order of their
-- SKUs, so that two calls do not deadlock.
-- runs: shared
-- $1 business uuid, $2 products jsonb (an array of JSON objects by column)
-- -> guid uuid, ...
insert into products (business_id, guid, sku,
\columns names products.merged except sku
)
select $1, n.guid, coalesce(n.sku, next_sku($1)),
\columns values products.merged n except sku
from jsonb_array_elements($2) e, jsonb_populate_record(null::products, merged_changes(null, e)) n
order by n.sku nulls first
returning guid, name, sku
