-- Returns the business, address and credentials of a store, which verify its webhooks.
-- $1 integration uuid
select business_id, provider, store_url, encode(api_key, 'hex'), encode(api_secret, 'hex'), status = 'active' as is_active
from integrations where guid = $1 and removed_at is null
