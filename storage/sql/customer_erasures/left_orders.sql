-- Returns the shipments that left orders, with the orders and times.
-- $1 business uuid, $2 orders uuid[]
-- -> order_id uuid, guid uuid, at timestamptz
select (e.shipment_before).order_id as order_id, e.entity_id as guid, e.at
from events e
where e.business_id = $1 and (e.shipment_before).order_id = any ($2::uuid[])
  and (e.shipment_after).order_id is distinct from (e.shipment_before).order_id
