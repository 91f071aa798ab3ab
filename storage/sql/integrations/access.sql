-- Returns the state and credentials of a connected store.
-- $1 business uuid, $2 integration uuid
-- -> provider text, store_url text, sealed_key text (in hex), sealed_secret text or null (in hex), is_active boolean,
-- sends_tracking boolean
select provider, store_url, encode(api_key, 'hex') as sealed_key, encode(api_secret, 'hex') as sealed_secret,
       status = 'active' as is_active, push_tracking as sends_tracking
from integrations where business_id = $1 and guid = $2 and removed_at is null
