-- Returns the newest trace of a shipment, as the entity of an event has it. No row if it has none.
-- $1 business uuid, $2 shipment uuid
-- -> trace jsonb
select trace_json(t) as trace
from shipment_traces t
where t.business_id = $1::uuid and t.shipment_id = $2::uuid
order by t.id desc
limit 1
