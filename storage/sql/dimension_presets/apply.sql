-- Gives an order's item the dimensions of a preset, in the units of the business's products. A preset without
-- a weight keeps the item's weight. Items of shipped and delivered orders stay unchanged. Returns whether the
-- preset exists, whether the item exists, and the order's status.
-- $1 business uuid, $2 order uuid, $3 preset uuid, $4 item uuid
-- -> preset_exists boolean, item_exists boolean, status text
with held as (
  select guid, status, list_element(items::jsonb, $4::uuid::text) as item from orders
  where business_id = $1 and guid = $2 and deleted_at is null for update
), preset as (
  select jsonb_build_object('length', in_unit(p.length, p.unit, u.length), 'width', in_unit(p.width, p.unit, u.length),
                            'height', in_unit(p.height, p.unit, u.length)) ||
         case when p.weight is null then '{}'
              else jsonb_build_object('weight', in_unit(p.weight, p.weight_unit, u.weight)) end as dimensions
  from dimension_presets p
  left join product_settings s on s.business_id = p.business_id
  cross join lateral (select coalesce(s.default_unit, 'cm') as length, coalesce(s.default_weight_unit, 'kg') as weight) u
  where p.business_id = $1 and p.guid = $3
), change as (
  select h.guid, jsonb_build_object('dimensions', case jsonb_typeof(h.item -> 'dimensions') when 'object' then '{}'
                                                  else jsonb '{"weight": null}' end || p.dimensions) as change
  from held h, preset p where h.item is not null and h.status not in ('shipped', 'delivered')
), changed as (
  update orders r set items = list_with_changed(r.items::jsonb, $4::uuid::text, c.change) from change c
  where r.business_id = $1 and r.guid = c.guid
    and r.items::jsonb <> list_with_changed(r.items::jsonb, $4::uuid::text, c.change)
)
select exists (select from preset) as preset_exists, item is not null as item_exists, status from held
