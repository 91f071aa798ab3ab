-- Locks a dispatch and returns its current values.
-- $1 business uuid, $2 dispatch uuid
select status, driver_id, vehicle_id, name, planned_date,
       (select count(*) from dispatch_stops t where t.business_id = $1 and t.dispatch_id = $2)
from dispatches where business_id = $1 and guid = $2 and deleted_at is null
for update
