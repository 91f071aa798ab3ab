-- Changes the given columns of a dispatch and returns it.
-- $1 business uuid, $2 dispatch uuid, $3 changes jsonb (JSON object by column)
update dispatches d
set name = case when g ? 'name' then g ->> 'name' else name end,
    driver_id = case when g ? 'driver_id' then (g ->> 'driver_id')::uuid else driver_id end,
    vehicle_id = case when g ? 'vehicle_id' then (g ->> 'vehicle_id')::uuid else vehicle_id end,
    planned_date = case when g ? 'planned_date' then (g ->> 'planned_date')::timestamptz else planned_date end,
    notes = case when g ? 'notes' then g ->> 'notes' else notes end
from cast($3 as jsonb) g
where business_id = $1 and guid = $2
returning guid, name
