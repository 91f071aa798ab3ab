-- Writes the store's values to a locked product. An unchanged product is not written.
-- $1 business uuid, $2 product uuid, $3 changes jsonb (JSON object by column)
update products r
set
\columns assign products.imported n
    , variants = n.variants
from products o cross join lateral jsonb_populate_record(o, $3) n
where o.business_id = $1 and o.guid = $2 and r.business_id = $1 and r.guid = o.guid
  and (
\columns values products.imported r
       , r.variants
      ) is distinct from (
\columns values products.imported n
       , n.variants
      )
