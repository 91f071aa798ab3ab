-- $1 SHA-256 of the token
select t.guid, t.business_id, null::uuid as user_id, t.name, t.role, b.plan, t.expires_at,
       t.revoked_at is not null as revoked
from api_tokens t
join businesses b on b.guid = t.business_id
where t.token_hash = $1::bytea
