-- Changes the given columns of a dimension preset and returns it.
-- $1 business uuid, $2 preset uuid, $3 changes jsonb (JSON object by column)
update dimension_presets r
set name = n.name, length = n.length, width = n.width, height = n.height, weight = n.weight, unit = n.unit,
    weight_unit = n.weight_unit
from (select m.* from dimension_presets p, jsonb_populate_record(p, $3) m
      where p.business_id = $1 and p.guid = $2 for update of p) n
where r.business_id = $1 and r.guid = n.guid
returning r.guid, r.name, r.length, r.width, r.height, r.weight, r.unit, r.weight_unit as "weightUnit"
