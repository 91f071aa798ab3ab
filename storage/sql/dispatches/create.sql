-- Adds a dispatch and returns it.
-- $1 business uuid, $2 guid uuid, $3 name text, $4 driver uuid or null, $5 vehicle uuid or null,
-- $6 planned_date timestamptz, $7 notes text or null
insert into dispatches (business_id, guid, name, driver_id, vehicle_id, planned_date, notes)
values ($1, $2, $3, $4, $5, $6, $7)
returning guid, name, status, planned_date as "plannedDate"
