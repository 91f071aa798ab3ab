-- Returns a business's own templates, by name.
-- runs: long
-- $1 business uuid
select
\ir answer.inc
from templates t where t.business_id = $1::uuid and t.deleted_at is null
order by t.name, t.guid limit 1000
