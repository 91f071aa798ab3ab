-- $1 business, $2 token. Once revoked it stays as it is.
update api_tokens set revoked_at = coalesce(revoked_at, now()) where business_id = $1::uuid and guid = $2::uuid
