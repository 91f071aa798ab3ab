-- Returns a business's drivers, by name.
-- $1 business uuid
select
\ir answer.inc
from drivers where business_id = $1 and deleted_at is null
order by name, guid limit 1000
