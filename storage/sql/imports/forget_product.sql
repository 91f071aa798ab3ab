-- Forgets that a product here came from a product of a store, if it also came from another one, of this store or of one that
-- was not removed. Products that were set aside because of it are then forgotten by forget_aside.
-- $1 business uuid, $2 integration uuid, $3 external_id text
-- -> product_id uuid (no row if it came from no other one)
with forgotten as (
  delete from imported_products m
  where m.business_id = $1 and m.integration_id = $2 and m.external_id = $3
    and exists (select from imported_products o
                join integrations i on i.business_id = $1 and i.guid = o.integration_id and i.removed_at is null
                where o.business_id = $1 and o.product_id = m.product_id and o.digest not like 'aside:%'
                  and (o.integration_id, o.external_id) <> (m.integration_id, m.external_id))
  returning m.product_id
), freed as (
  update imported_products a set product_id = '00000000-0000-0000-0000-000000000000' from forgotten f
  where a.business_id = $1 and a.integration_id = $2 and a.product_id = f.product_id and a.digest like 'aside:%'
)
select product_id from forgotten
