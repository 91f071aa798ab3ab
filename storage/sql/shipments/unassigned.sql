-- Returns the shipments without a dispatch that are not final, oldest first.
-- $1 business uuid
select guid, tracking_number as "trackingNumber", status, recipient_name as "recipient!.name",
       recipient_city as "recipient!.city"
from shipments
where business_id = $1 and deleted_at is null and dispatch_id is null
  and status not in ('delivered', 'returned', 'cancelled')
order by created_at, guid limit 1000
