-- $1 business, $2 token, $3 key, $4 stamp of its begin, $5 status, $6 body (sealed), $7 location
update idempotency_keys set status = $5::integer, body = $6, location = $7
where business_id = $1::uuid and token_id = $2::uuid and key = $3 and created_at = $4::timestamptz and status is null
