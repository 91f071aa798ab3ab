-- Returns the business, address and credentials of a store, which verify its webhooks.
-- $1 integration uuid
-- -> business_id uuid, provider text, store_url text, sealed_key text (in hex),
-- sealed_secret text or null (in hex), is_active boolean
select business_id, provider, store_url, encode(api_key, 'hex') as sealed_key,
       encode(api_secret, 'hex') as sealed_secret, status = 'active' as is_active
from integrations where guid = $1 and removed_at is null
