-- Locks the planned dispatches of a vehicle that is to be deleted, before the vehicle itself: see decision 10.
-- $1 business uuid, $2 vehicle uuid
-- -> guid uuid
select guid from dispatches where business_id = $1 and vehicle_id = $2 and status in ('draft', 'ready') and deleted_at is null
order by guid for no key update
