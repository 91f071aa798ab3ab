-- Returns an API token.
-- $1 business uuid, $2 token uuid
select guid, name, role, created_at as "createdAt", expires_at as "expiresAt", last_used as "lastUsed",
       case when revoked_at is null then 'active' else 'revoked' end as status
from api_tokens
where business_id = $1::uuid and guid = $2::uuid
