-- Whose store $1 is, and what its webhooks are signed with.
select business_id, provider, store_url, encode(api_key, 'hex'), encode(api_secret, 'hex'), status = 'active' as is_active
from integrations where guid = $1 and removed_at is null
