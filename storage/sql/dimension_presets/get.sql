-- Returns a dimension preset.
-- $1 business uuid, $2 preset uuid
select
\ir answer.inc
from dimension_presets where business_id = $1 and guid = $2
