-- Returns the dispatch that contains a shipment.
-- $1 business uuid, $2 shipment uuid
select d.guid, d.name, d.status
from shipments s
join dispatches d on d.business_id = s.business_id and d.guid = s.dispatch_id and d.deleted_at is null
where s.business_id = $1 and s.guid = $2 and s.deleted_at is null
