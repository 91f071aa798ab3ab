-- Changes the given columns of a business's defaults.
-- $1 business uuid, $2 changes jsonb (JSON object by column)
update business_defaults d
set carrier_id = case when g ? 'carrier_id' then (g ->> 'carrier_id')::uuid else d.carrier_id end,
    service_level = coalesce(g ->> 'service_level', d.service_level),
    length = coalesce((g ->> 'length')::numeric, d.length),
    width = coalesce((g ->> 'width')::numeric, d.width),
    height = coalesce((g ->> 'height')::numeric, d.height),
    unit = coalesce(g ->> 'unit', d.unit),
    email_enabled = coalesce((g ->> 'email_enabled')::boolean, d.email_enabled),
    push_enabled = coalesce((g ->> 'push_enabled')::boolean, d.push_enabled)
from cast($2 as jsonb) g
where d.business_id = $1::uuid
