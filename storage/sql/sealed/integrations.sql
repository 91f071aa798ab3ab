-- Returns the next sealed credentials of stores, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select i.business_id as business, i.guid as id, v.name, v.sealed
from integrations i, lateral (values ('key', i.api_key), ('secret', i.api_secret)) v (name, sealed)
where v.sealed is not null and (i.business_id, i.guid) >= ($1::uuid, $2::uuid)
  and (i.business_id, i.guid, v.name) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
