-- Returns the next sealed answers of idempotent requests, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select business_id as business, token_id as id, key as name, decode(body, 'base64') as sealed from idempotency_keys
where body is not null and (business_id, token_id, key) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
