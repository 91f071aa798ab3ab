-- Locks the planned dispatches of a driver who is to be deleted, before the vehicles and the driver: see decision 10.
-- $1 business uuid, $2 driver uuid
-- -> guid uuid
select guid from dispatches where business_id = $1 and driver_id = $2 and status in ('draft', 'ready') and deleted_at is null
order by guid for no key update
