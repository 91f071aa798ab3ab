-- Adds a one-time link that opens a session within 10 minutes.
-- $1 business uuid, $2 role text, $3 operator_name text, $4 link_hash bytea
insert into console_sessions (business_id, role, operator_name, secret_hash, expires_at)
values ($1::uuid, $2, $3, $4::bytea, clock_timestamp() + interval '10 minutes')
