-- Gives a locked shipment the times of its last move, of its delivery and of its newest scan.
-- $1 business uuid, $2 shipment uuid, $3 changed_at timestamptz or null, $4 delivered_at timestamptz or null
update shipments r set status_changed_at = $3::timestamptz, delivered_at = $4::timestamptz, last_trace_at = n.at
from (  -- the first trace is that of the shipment's creation
  select max(t.at) filter (where t.is_move or t.external_id is not null or t.id > f.id) as at
  from shipment_traces t,
       (select min(id) as id from shipment_traces where business_id = $1::uuid and shipment_id = $2::uuid) f
  where t.business_id = $1::uuid and t.shipment_id = $2::uuid) n
where r.business_id = $1::uuid and r.guid = $2::uuid
  and (r.status_changed_at, r.delivered_at, r.last_trace_at) is distinct from ($3::timestamptz, $4::timestamptz, n.at)
