-- Returns the public key that push messages of a business are signed with.
-- $1 business uuid
select public_key as "publicKey" from vapid_keys where business_id = $1::uuid
