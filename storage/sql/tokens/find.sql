-- Returns the API token or the session of a token.
-- $1 token_hash bytea
-- -> guid uuid, business_id uuid or null, user_id uuid or null, name text (of a one-time link's session, the operator's),
-- role text, plan text, expires_at timestamptz or null, revoked boolean, suspended boolean (its business),
-- is_session boolean, by_cookie boolean
select t.guid, t.business_id, null::uuid as user_id, t.name, t.role, b.plan, t.expires_at,
       t.revoked_at is not null as revoked, b.suspended_at is not null as suspended, false as is_session, false as by_cookie
from api_tokens t
join businesses b on b.guid = t.business_id
where t.token_hash = $1::bytea
union all
select s.guid, u.business_id, u.guid, coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.email),
       coalesce(u.role, 'viewer'), coalesce(b.plan, ''), s.expires_at, false, b.suspended_at is not null, true, s.by_cookie
from user_sessions s
join users u on u.guid = s.user_id
left join businesses b on b.guid = u.business_id
where s.token_hash = $1::bytea
union all
select s.guid, s.business_id, null, s.operator_name, s.role, b.plan, s.expires_at, false, b.suspended_at is not null, true, true
from console_sessions s
join businesses b on b.guid = s.business_id
where s.secret_hash = $1::bytea and s.started_at is not null
