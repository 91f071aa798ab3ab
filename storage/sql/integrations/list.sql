-- The stores of business $1.
select
\ir answer.inc
from integrations where business_id = $1 and removed_at is null
order by connected_at, guid limit 1000
