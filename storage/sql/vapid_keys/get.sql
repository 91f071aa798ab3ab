-- $1 business
select public_key as "publicKey" from vapid_keys where business_id = $1::uuid
