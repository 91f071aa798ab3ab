-- $1 business, $2 token, $3 key, $4 stamp of its begin
delete from idempotency_keys
where business_id = $1::uuid and token_id = $2::uuid and key = $3 and created_at = $4::timestamptz and status is null
