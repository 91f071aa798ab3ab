-- Adds a vehicle and returns it. No row if the driver does not exist.
-- $1 business uuid, $2 name text, $3 licence_plate text, $4 type text, $5 make text, $6 model text,
-- $7 year int, $8 capacity_by_weight numeric, $9 capacity_by_volume numeric, $10 status text or null,
-- $11 current_driver uuid or null
insert into vehicles (business_id, name, license_plate, type, make, model, year, capacity_weight, capacity_volume, status,
                      current_driver_id)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, 'available'), $11
where $11::uuid is null
   or exists (select from drivers d where d.business_id = $1 and d.guid = $11 and d.deleted_at is null)
returning guid, name, license_plate as "licensePlate"
