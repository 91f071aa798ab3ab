-- Replaces a credential of a store unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update integrations
set api_key = case when $3 = 'key' then $5::bytea else api_key end,
    api_secret = case when $3 = 'secret' then $5::bytea else api_secret end
where business_id = $1::uuid and guid = $2::uuid
  and case when $3 = 'key' then api_key else api_secret end = $4::bytea
