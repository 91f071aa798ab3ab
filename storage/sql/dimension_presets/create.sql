-- Adds a dimension preset and returns it; missing units are those of the business. Locks the business while
-- its presets are counted. No row if the business has 1000 presets.
-- $1 business uuid, $2 columns jsonb (JSON object)
-- -> guid uuid, ...
with owner as (
  select guid from businesses where guid = $1 for no key update
), room as (
  select guid from owner where (select count(*) from dimension_presets where business_id = $1) < 1000
)
insert into dimension_presets (business_id, name, length, width, height, weight, unit, weight_unit)
select o.guid, n.name, n.length, n.width, n.height, n.weight, coalesce(n.unit, s.default_unit, 'cm'),
       coalesce(n.weight_unit, s.default_weight_unit, 'kg')
from room o
cross join jsonb_populate_record(null::dimension_presets, $2) n
left join product_settings s on s.business_id = o.guid
returning
\ir answer.inc
