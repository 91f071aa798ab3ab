-- Returns a business's connected stores, oldest first.
-- $1 business uuid
select
\ir answer.inc
from integrations where business_id = $1 and removed_at is null
order by connected_at, guid limit 1000
