-- Returns the key pair of a business, the private key sealed.
-- $1 business uuid
select public_key, encode(private_key_sealed, 'hex') as private_key from vapid_keys where business_id = $1::uuid
