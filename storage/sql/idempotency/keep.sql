-- Stores a response under its idempotency key. No row if another request has the key.
-- $1 business uuid, $2 token uuid, $3 key text, $4 request_hash bytea, $5 status int,
-- $6 body text (sealed), $7 location text or null
insert into idempotency_keys (business_id, token_id, key, request_hash, status, body, location)
values ($1::uuid, $2::uuid, $3, $4::bytea, $5::integer, $6, $7)
on conflict (business_id, token_id, key) do update
set request_hash = excluded.request_hash, created_at = now(), status = excluded.status, body = excluded.body,
    location = excluded.location
where idempotency_keys.created_at < now() - interval '24 hours'
   or (idempotency_keys.status is null and idempotency_keys.created_at < now() - interval '60 seconds')
returning true
