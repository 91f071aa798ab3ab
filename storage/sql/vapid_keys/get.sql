-- Returns the public key that push messages of a business are signed with.
-- $1 business uuid
-- -> public_key text
select public_key from vapid_keys where business_id = $1::uuid
