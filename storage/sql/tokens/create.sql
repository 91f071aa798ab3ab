-- Adds an API token and returns it.
-- $1 business, $2 name, $3 role, $4 SHA-256 of the token, $5 expiry
insert into api_tokens (business_id, name, role, token_hash, expires_at)
values ($1::uuid, $2::text, $3::text, $4::bytea, $5::timestamptz)
returning guid, name, role, created_at as "createdAt", expires_at as "expiresAt"
