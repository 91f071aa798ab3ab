-- Returns whether an order has a shipment that is neither cancelled nor returned.
-- $1 business uuid, $2 order uuid
-- -> has_open boolean
select exists (select from shipments r
               where r.business_id = $1 and r.order_id = $2 and r.deleted_at is null
                 and r.status not in ('cancelled', 'returned')) as has_open
