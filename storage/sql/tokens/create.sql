insert into api_tokens (business_id, name, role, token_hash)
values ($1::uuid, $2::text, $3::text, $4::bytea)
