-- Locks the vehicles of a driver who is to be deleted, before the driver: see decision 10.
-- $1 business uuid, $2 driver uuid
-- -> guid uuid
select guid from vehicles where business_id = $1 and current_driver_id = $2 order by guid for no key update
