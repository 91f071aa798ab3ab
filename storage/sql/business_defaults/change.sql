-- Changes the given columns of a business's defaults; null clears one that is not a switch. If the columns are all that GET
-- shows, a value that is not set and is given as get.sql shows it stays unset.
-- $1 business uuid, $2 changes jsonb (JSON object by column), $3 is_whole boolean
update business_defaults d
set carrier_id = case when g ? 'carrier_id' then (g ->> 'carrier_id')::uuid else d.carrier_id end,
    service_level = case when $3 and d.service_level is null and g ->> 'service_level' = 'standard' then null
                         when g ? 'service_level' then g ->> 'service_level' else d.service_level end,
    length = case when $3 and d.length is null and (g ->> 'length')::numeric = 30 then null
                  when g ? 'length' then (g ->> 'length')::numeric else d.length end,
    width = case when $3 and d.width is null and (g ->> 'width')::numeric = 20 then null
                 when g ? 'width' then (g ->> 'width')::numeric else d.width end,
    height = case when $3 and d.height is null and (g ->> 'height')::numeric = 10 then null
                  when g ? 'height' then (g ->> 'height')::numeric else d.height end,
    unit = case when $3 and d.unit is null and g ->> 'unit' = 'cm' then null
                when g ? 'unit' then g ->> 'unit' else d.unit end,
    email_enabled = coalesce((g ->> 'email_enabled')::boolean, d.email_enabled),
    push_enabled = coalesce((g ->> 'push_enabled')::boolean, d.push_enabled)
from cast($2 as jsonb) g
where d.business_id = $1::uuid
