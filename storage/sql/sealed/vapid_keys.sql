-- Returns the next sealed keys for push messages, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select business_id as business, business_id as id, ''::text as name, private_key_sealed as sealed from vapid_keys
where (business_id, business_id, ''::text) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
