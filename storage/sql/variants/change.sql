-- Changes a variant. Returns whether the change is valid (it must not remove a SKU), and the variant. Writes
-- nothing if nothing changes.
-- $1 business uuid, $2 product uuid, $3 variant uuid, $4 changes jsonb (JSON object)
-- -> keeps_sku boolean, ...
with held as (
  select p.guid, changed_element(v, $4) as variant,
         changed_element(v, $4) ->> 'sku' is not null or v ->> 'sku' is null as keeps_sku
  from products p cross join list_element(p.variants, $3::uuid::text) v
  where p.business_id = $1 and p.guid = $2 and p.deleted_at is null and v is not null for update of p
), changed as (
  update products r set variants = list_with_changed(r.variants, $3::uuid::text, $4) from held h
  where r.business_id = $1 and r.guid = h.guid and h.keeps_sku
    and r.variants <> list_with_changed(r.variants, $3::uuid::text, $4)
)
select keeps_sku, variant -> 'guid' as guid, variant -> 'name' as name from held
