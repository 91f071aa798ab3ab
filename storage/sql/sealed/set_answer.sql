-- Replaces an answer of an idempotent request unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update idempotency_keys set body = replace(encode($5::bytea, 'base64'), E'\n', '')
where business_id = $1::uuid and token_id = $2::uuid and key = $3 and decode(body, 'base64') = $4::bytea
