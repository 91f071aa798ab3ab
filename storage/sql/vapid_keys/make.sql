-- Adds the key pair of a business unless it has one.
-- $1 business uuid, $2 public_key text, $3 private_key bytea (sealed)
insert into vapid_keys (business_id, public_key, private_key_sealed)
values ($1::uuid, $2, $3::bytea)
on conflict (business_id) do nothing
