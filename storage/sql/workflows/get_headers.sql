-- The headers of the workflow $2 of business $1 as they are stored, and what their stars stand for, sealed.
select action -> 'headers' as headers, encode(sealed_credentials, 'hex') as "sealedCredentials"
from workflows
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
