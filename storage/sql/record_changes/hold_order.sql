-- Locks an order that is to be shipped, without waiting. Returns no row if it does not exist; otherwise whether it is locked
-- now, the codes of the service levels of the wanted carrier or else of the order's (null: it does not exist), and the first of the given
-- tracking numbers that is free.
-- $1 business uuid, $2 order uuid, $3 carrier uuid or null, $4 numbers text[], $5 cause text
-- -> is_held boolean, levels text or null, number text or null, ...
with existing as materialized (
  select guid, carrier_id from orders where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
), held as materialized (
  select guid from orders where business_id = $1::uuid and guid = $2::uuid and deleted_at is null for update skip locked
)
select exists (select from held) as is_held,
       (select coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]')::text from carriers k
        where k.business_id in ($1::uuid, catalogue_business()) and k.guid = coalesce($3::uuid, e.carrier_id) and k.deleted_at is null) as levels,
       (select n.number from unnest($4::text[]) with ordinality n (number, place)
        where not exists (select from shipments s where s.business_id = $1::uuid and s.tracking_number = n.number
                                                 and s.deleted_at is null) order by n.place limit 1) as number,
       c.cause
from existing e, (select set_config('waybill.cause', $5::text, true) as cause) c
