-- Adds a vehicle and returns it. No row if the driver does not exist.
-- $1 business, $2 name, $3 licence plate, $4 type, $5 make, $6 model, $7 year, $8 capacity by weight,
-- $9 capacity by volume, $10 status or null, $11 current driver or null
insert into vehicles (business_id, name, license_plate, type, make, model, year, capacity_weight, capacity_volume, status,
                      current_driver_id)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, 'available'), $11
where $11::uuid is null
   or exists (select from drivers d where d.business_id = $1 and d.guid = $11 and d.deleted_at is null)
returning guid, name, license_plate as "licensePlate"
