-- Returns an existing integration that is to be configured, and whether it is removed or active.
-- $1 business uuid, $2 provider text, $3 store_url text (normalized)
-- -> guid uuid, is_removed boolean, is_active boolean
select guid, removed_at is not null as is_removed, removed_at is null and status = 'active' as is_active
from integrations where business_id = $1 and provider = $2 and store_url = $3
