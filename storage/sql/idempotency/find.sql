-- Returns the request that has an idempotency key: whether it is the same request, and its response. Earlier
-- releases inserted a row without a status before the work; such a row counts for a minute.
-- $1 business uuid, $2 token uuid, $3 key text, $4 request_hash bytea
-- -> is_same boolean, status int or null, body text or null, location text or null
select request_hash = $4::bytea as is_same, status, body, location
from idempotency_keys
where business_id = $1::uuid and token_id = $2::uuid and key = $3 and created_at >= now() - interval '24 hours'
  and (status is not null or created_at >= now() - interval '60 seconds')
