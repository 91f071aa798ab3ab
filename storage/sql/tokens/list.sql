-- Returns a page of API tokens, newest first, each row preceded by the total.
-- runs: long
-- $1 business uuid, $2 limit bigint, $3 offset bigint
-- -> total bigint, ...
select (select count(*) from api_tokens where business_id = $1::uuid) as total,
       guid, name, role, created_at as "createdAt", expires_at as "expiresAt", last_used as "lastUsed",
       case when revoked_at is null then 'active' else 'revoked' end as status
from api_tokens
where business_id = $1::uuid
order by created_at desc, guid desc
limit $2::bigint offset $3::bigint
