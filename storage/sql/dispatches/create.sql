-- Adds a dispatch and returns it.
-- $1 business, $2 guid, $3 name, $4 driver, $5 vehicle, $6 planned date, $7 notes
insert into dispatches (business_id, guid, name, driver_id, vehicle_id, planned_date, notes)
values ($1, $2, $3, $4, $5, $6, $7)
returning guid, name, status, planned_date as "plannedDate"
