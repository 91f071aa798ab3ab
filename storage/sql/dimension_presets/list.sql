-- Returns a business's dimension presets, by name.
-- $1 business uuid
select
\ir answer.inc
from dimension_presets where business_id = $1
order by name, guid
