-- Like get, and nobody else changes it, or begins to use it, until the transaction ends.
select
\ir answer.inc
from templates t where t.business_id = $1::uuid and t.guid = $2::uuid and t.deleted_at is null
for update
