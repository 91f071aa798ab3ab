-- Revokes an API token. The time of the first revocation stays. A token of an owner stays if $3 is false.
-- $1 business uuid, $2 token uuid, $3 by_owner boolean
update api_tokens set revoked_at = coalesce(revoked_at, now())
where business_id = $1::uuid and guid = $2::uuid and (role <> 'owner' or $3::boolean)
