-- Replaces a kept answer.
-- $1 owner uuid, $2 token uuid, $3 key text, $4 body text (sealed)
update idempotency_keys set body = $4 where business_id = $1 and token_id = $2 and key = $3
