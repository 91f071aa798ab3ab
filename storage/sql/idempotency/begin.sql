-- $1 business, $2 token, $3 key, $4 hash of the request
-- One row: started (with its stamp), or what an earlier request with the key left. No row: one that began after this
-- statement's snapshot holds the key.
with started as (
  insert into idempotency_keys (business_id, token_id, key, request_hash)
  values ($1::uuid, $2::uuid, $3, $4::bytea)
  on conflict (business_id, token_id, key) do update
  set request_hash = excluded.request_hash, created_at = now(), status = null, body = null, location = null
  where idempotency_keys.created_at < now() - interval '24 hours'
     or (idempotency_keys.status is null and idempotency_keys.created_at < now() - interval '60 seconds')
  returning created_at
)
select true as started, created_at, true as same_request, null::integer as status, null as body, null as location
from started
union all
select false, created_at, request_hash = $4::bytea, status, body, location
from idempotency_keys
where business_id = $1::uuid and token_id = $2::uuid and key = $3 and not exists (select from started)
