-- Changes the given columns of a business's defaults; null clears one that is not a switch.
-- $1 business uuid, $2 changes jsonb (JSON object by column)
update business_defaults d
set carrier_id = case when g ? 'carrier_id' then (g ->> 'carrier_id')::uuid else d.carrier_id end,
    service_level = case when g ? 'service_level' then g ->> 'service_level' else d.service_level end,
    length = case when g ? 'length' then (g ->> 'length')::numeric else d.length end,
    width = case when g ? 'width' then (g ->> 'width')::numeric else d.width end,
    height = case when g ? 'height' then (g ->> 'height')::numeric else d.height end,
    unit = case when g ? 'unit' then g ->> 'unit' else d.unit end,
    email_enabled = coalesce((g ->> 'email_enabled')::boolean, d.email_enabled),
    push_enabled = coalesce((g ->> 'push_enabled')::boolean, d.push_enabled)
from cast($2 as jsonb) g
where d.business_id = $1::uuid
