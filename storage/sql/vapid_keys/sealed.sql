-- The key pair of business $1.
select public_key, encode(private_key_sealed, 'hex') from vapid_keys where business_id = $1::uuid
