-- Returns the next sealed credentials of carriers, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select c.business_id as business, c.carrier_id as id, v.name, v.sealed
from carrier_configurations c, lateral (
  values ('apiKey', c.sealed_api_key), ('apiSecret', c.sealed_api_secret), ('inboundSecret', c.sealed_inbound_secret)
) v (name, sealed)
where v.sealed is not null and (c.business_id, c.carrier_id) >= ($1::uuid, $2::uuid)
  and (c.business_id, c.carrier_id, v.name) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
