-- Returns the purchase for whose end a run in the queue waits.
-- $1 business uuid, $2 workflow uuid, $3 run uuid
-- -> purchase uuid, shipment uuid
select p.guid as purchase, p.shipment_id as shipment
from run_queue q join purchases p on p.business_id = q.business_id and p.guid = q.awaited_purchase
where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.guid = $3::uuid
