-- A new vehicle: $1 business, $2 name, $3 licence plate, $4 type, $5 make, $6 model, $7 year, $8 and $9 the capacity's
-- weight and volume, $10 status or null, $11 the current driver or null. No row: there is no such driver.
insert into vehicles (business_id, name, license_plate, type, make, model, year, capacity_weight, capacity_volume, status,
                      current_driver_id)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, 'available'), $11
where $11::uuid is null
   or exists (select from drivers d where d.business_id = $1 and d.guid = $11 and d.deleted_at is null)
returning guid, name, license_plate as "licensePlate"
