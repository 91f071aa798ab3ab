-- Replaces a key for push messages unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update vapid_keys set private_key_sealed = $5::bytea
where business_id = $1::uuid and business_id = $2::uuid and $3::text = '' and private_key_sealed = $4::bytea
