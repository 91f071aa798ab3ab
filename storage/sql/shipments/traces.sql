-- Returns a shipment's newest thousand traces in order of time, each preceded by its id; one row with a null
-- id if there are none. No row if the shipment does not exist.
-- runs: long
-- $1 business uuid, $2 shipment uuid
-- -> id bigint or null, ...
select t.id, t.at as "timestamp", t.status, t.description, t.location
from shipments r
left join lateral (
  select * from shipment_traces
  where business_id = $1 and shipment_id = $2
  order by at desc, id desc limit 1000
) t on true
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
order by t.at, t.id
