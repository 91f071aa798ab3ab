-- Locks a dispatch and returns its current values.
-- $1 business uuid, $2 dispatch uuid
-- -> status text, driver_id uuid or null, vehicle_id uuid or null, planned_date timestamptz, stops bigint
select status, driver_id, vehicle_id, planned_date,
       (select count(*) from dispatch_stops t where t.business_id = $1 and t.dispatch_id = $2) as stops
from dispatches where business_id = $1 and guid = $2 and deleted_at is null
for update
