-- Adds a vehicle and returns it. No row if the driver does not exist. A driver cannot be deleted before the transaction ends.
-- $1 business uuid, $2 name text, $3 license_plate text, $4 type text, $5 make text or null,
-- $6 model text or null, $7 year int or null, $8 capacity_weight numeric or null,
-- $9 capacity_volume numeric or null, $10 status text or null, $11 current_driver uuid or null
-- -> guid uuid, ...
with driver as (
  select guid from drivers where business_id = $1 and guid = $11 and deleted_at is null for key share
)
insert into vehicles (business_id, name, license_plate, type, make, model, year, capacity_weight, capacity_volume, status,
                      current_driver_id)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, 'available'), $11
where $11::uuid is null or exists (select from driver)
returning guid, name, license_plate as "licensePlate"
