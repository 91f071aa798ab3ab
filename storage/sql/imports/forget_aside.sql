-- Forgets products that were set aside because of a SKU that its product no longer has, and the state of those that wait
-- for a SKU that is free; lets the next sweep begin with the first product of the store. Nothing happens if the worker
-- has lost the lease.
-- $1 business uuid, $2 integration uuid, $3 worker uuid
-- -> guid uuid (the integration; no row if nothing was forgotten)
with held as (
  select i.guid from integrations i where i.business_id = $1 and i.guid = $2 and i.lease_owner = $3 for no key update
), forgotten as (
  delete from imported_products m using held h
  where m.business_id = $1 and m.integration_id = h.guid and m.digest like 'aside:%'
    and not exists (select from product_skus s where s.business_id = $1 and s.sku = m.aside_sku
                    and s.product_id = m.product_id)
  returning m.external_id
), awaited as (
  update imported_products m set digest = '', wanted_skus = null from held h
  where m.business_id = $1 and m.integration_id = h.guid and m.wanted_skus is not null
    and exists (select from jsonb_each_text(m.wanted_skus) w (variant, sku)
                where w.sku is not null
                  and not exists (select from product_skus s where s.business_id = $1 and s.sku = w.sku))
  returning m.external_id
)
update integrations set products_reached = null
where business_id = $1 and guid = $2 and (exists (select from forgotten) or exists (select from awaited))
returning guid
