-- Returns a variant. Its values are JSON, because SQL writers can store any type.
-- $1 business uuid, $2 product uuid, $3 variant uuid
select v -> 'guid' as guid, v -> 'name' as name, v -> 'sku' as sku, v -> 'priceDifference' as "priceDifference",
       v -> 'weight' as weight, nullif(v #> '{dimensions,length}', 'null') as "dimensions.length",
       nullif(v #> '{dimensions,width}', 'null') as "dimensions.width",
       nullif(v #> '{dimensions,height}', 'null') as "dimensions.height"
from products p cross join list_element(p.variants, $3::uuid::text) v
where p.business_id = $1 and p.guid = $2 and p.deleted_at is null and v is not null
