-- Gives an order's item the dimensions of a preset: $1 business, $2 order, $3 preset, $4 item. A preset without a weight
-- leaves the item's. Returns whether preset and item are there and the order's status, which decides.
with held as (
  select guid, status, list_element(items::jsonb, $4) as item from orders
  where business_id = $1 and guid = $2 and deleted_at is null for update
), preset as (
  select jsonb_build_object('length', length, 'width', width, 'height', height) ||
         case when weight is null then '{}' else jsonb_build_object('weight', weight) end as dimensions
  from dimension_presets where business_id = $1 and guid = $3
), change as (
  select h.guid, jsonb_build_object('dimensions', case jsonb_typeof(h.item -> 'dimensions') when 'object' then '{}'
                                                  else jsonb '{"weight": null}' end || p.dimensions) as change
  from held h, preset p where h.item is not null and h.status not in ('shipped', 'delivered')
), changed as (
  update orders r set items = list_with_changed(r.items::jsonb, $4, c.change) from change c
  where r.business_id = $1 and r.guid = c.guid and r.items::jsonb <> list_with_changed(r.items::jsonb, $4, c.change)
)
select exists (select from preset), item is not null, status from held
