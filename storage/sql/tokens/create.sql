-- Adds an API token and returns it.
-- $1 business uuid, $2 name text, $3 role text, $4 token_hash bytea, $5 expires_at timestamptz or null
-- -> guid uuid, ...
insert into api_tokens (business_id, name, role, token_hash, expires_at)
values ($1::uuid, $2::text, $3::text, $4::bytea, $5::timestamptz)
returning guid, name, role, created_at as "createdAt", expires_at as "expiresAt"
