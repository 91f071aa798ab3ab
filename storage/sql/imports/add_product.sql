-- Adds a new product of a store.
-- $1 business uuid, $2 product jsonb (JSON object by column)
insert into products (business_id, guid, variants,
\columns names products.imported
)
select $1, n.guid, n.variants,
\columns values products.imported n
from jsonb_populate_record(null::products, $2) n
