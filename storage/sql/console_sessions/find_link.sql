-- Returns a link that is not used or expired.
-- $1 link_hash bytea
-- -> guid uuid, business_id uuid, role text, operator_name text, suspended boolean (its business)
select s.guid, s.business_id, s.role, s.operator_name, b.suspended_at is not null as suspended
from console_sessions s
join businesses b on b.guid = s.business_id
where s.secret_hash = $1::bytea and s.started_at is null and s.expires_at > clock_timestamp()
