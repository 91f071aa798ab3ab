-- Returns a workflow's headers as stored, and the sealed credentials (in hex) that their stars stand for.
-- $1 business uuid, $2 workflow uuid
-- -> headers jsonb or null, sealed_credentials text or null
select action -> 'headers' as headers, encode(sealed_credentials, 'hex') as sealed_credentials
from workflows
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
