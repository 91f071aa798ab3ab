-- Returns a driver.
-- $1 business uuid, $2 driver uuid
select
\ir answer.inc
from drivers where business_id = $1 and guid = $2 and deleted_at is null
