-- Returns the key pair of a business, the private key sealed.
-- $1 business uuid
-- -> public_key text, private_key bytea (sealed)
select public_key, private_key_sealed as private_key from vapid_keys where business_id = $1::uuid
