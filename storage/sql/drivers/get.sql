-- Returns a driver.
-- $1 business, $2 driver
select
\ir answer.inc
from drivers where business_id = $1 and guid = $2 and deleted_at is null
