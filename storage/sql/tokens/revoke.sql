-- Revokes an API token. The time of the first revocation stays.
-- $1 business uuid, $2 token uuid
update api_tokens set revoked_at = coalesce(revoked_at, now()) where business_id = $1::uuid and guid = $2::uuid
