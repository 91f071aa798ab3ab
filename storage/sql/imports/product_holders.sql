-- Returns products with their ids in a store, if they were imported from it. Products that were set aside because of
-- another one's SKU do not count.
-- $1 business uuid, $2 integration uuid, $3 products uuid[]
-- -> product_id uuid, name text, external_id text or null
select p.guid as product_id, p.name, m.external_id
from products p
left join imported_products m on m.business_id = $1 and m.integration_id = $2 and m.product_id = p.guid
  and m.digest not like 'aside:%'
where p.business_id = $1 and p.guid = any ($3::uuid[])
