-- Returns the API token or user session of a token.
-- $1 token_hash bytea
-- -> guid uuid, business_id uuid or null, user_id uuid or null, name text, role text, plan text,
-- expires_at timestamptz or null, revoked boolean, suspended boolean (its business)
select t.guid, t.business_id, null::uuid as user_id, t.name, t.role, b.plan, t.expires_at,
       t.revoked_at is not null as revoked, b.suspended_at is not null as suspended
from api_tokens t
join businesses b on b.guid = t.business_id
where t.token_hash = $1::bytea
union all
select s.guid, u.business_id, u.guid, coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.email),
       coalesce(u.role, 'viewer'), coalesce(b.plan, ''), s.expires_at, false, b.suspended_at is not null
from user_sessions s
join users u on u.guid = s.user_id
left join businesses b on b.guid = u.business_id
where s.token_hash = $1::bytea
