-- Returns a template.
-- $1 business uuid, $2 guid uuid
select
\ir answer.inc
from templates t where t.business_id = $1::uuid and t.guid = $2::uuid and t.deleted_at is null
