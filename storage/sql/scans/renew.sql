-- Changes a locked shipment to the status of one of its traces, which counts as its newest from now on. So the event of the
-- move has the trace. A returned shipment gets the given time of delivery.
-- $1 business uuid, $2 shipment uuid, $3 external_id text, $4 status text, $5 at timestamptz,
-- $6 delivered_at timestamptz or null
with renewed as (
  update shipment_traces t set id = default, status = $4::text, at = $5::timestamptz, is_move = true
  where t.business_id = $1::uuid and t.shipment_id = $2::uuid and t.external_id = $3::text
  returning t.id, t.status
)
update shipments r
set status = n.status, last_trace_id = n.id,
    delivered_at = case when n.status = 'returned' then $6::timestamptz else r.delivered_at end
from renewed n
where r.business_id = $1::uuid and r.guid = $2::uuid
