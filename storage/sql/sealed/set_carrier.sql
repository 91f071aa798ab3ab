-- Replaces a credential of a carrier unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update carrier_configurations
set sealed_api_key = case when $3 = 'apiKey' then $5::bytea else sealed_api_key end,
    sealed_api_secret = case when $3 = 'apiSecret' then $5::bytea else sealed_api_secret end,
    sealed_inbound_secret = case when $3 = 'inboundSecret' then $5::bytea else sealed_inbound_secret end
where business_id = $1::uuid and carrier_id = $2::uuid
  and case $3 when 'apiKey' then sealed_api_key when 'apiSecret' then sealed_api_secret
              else sealed_inbound_secret end = $4::bytea
