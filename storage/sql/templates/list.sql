-- The templates that the business $1 has made, by name.
select
\ir answer.inc
from templates t where t.business_id = $1::uuid and t.deleted_at is null
order by t.name, t.guid limit 1000
