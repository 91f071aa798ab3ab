-- Returns a connected store.
-- $1 business uuid, $2 integration uuid
select
\ir answer.inc
from integrations where business_id = $1 and guid = $2 and removed_at is null
