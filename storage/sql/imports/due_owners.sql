-- Returns the products of a store, by its ids, that have SKUs here which other products of it wait for, or because of which
-- others were set aside, unless the store was asked for them within the last hour; first those for which it was never asked.
-- $1 business uuid, $2 integration uuid, $3 limit bigint
-- -> external_id text
with wanted as (
  select external_id, aside_sku as sku
  from imported_products
  where business_id = $1 and integration_id = $2 and digest like 'aside:%' and aside_sku is not null
  union all
  select m.external_id, w.sku
  from imported_products m cross join jsonb_each_text(m.wanted_skus) w (variant, sku)
  where m.business_id = $1 and m.integration_id = $2 and m.wanted_skus is not null and w.sku is not null
)
select o.external_id
from wanted w
join product_skus s on s.business_id = $1 and s.sku = w.sku
join imported_products o on o.business_id = $1 and o.integration_id = $2 and o.product_id = s.product_id
where o.digest not like 'aside:%' and o.external_id <> w.external_id
  and (o.asked_at is null or o.asked_at < now() - interval '1 hour')
group by o.external_id, o.asked_at
order by o.asked_at nulls first, o.external_id limit $3
