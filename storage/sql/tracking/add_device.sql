-- Adds a tracking device and returns it. A device of this id without a vehicle becomes a new device of the vehicle: its earlier
-- positions are not those of the vehicle. The vehicle cannot be deleted before the transaction ends. No row if it does not exist.
-- $1 business uuid, $2 device_id text, $3 type text, $4 vehicle uuid or null
-- -> guid uuid, ...
with vehicle as (
  select guid from vehicles where business_id = $1 and guid = $4 and deleted_at is null for key share
), moved as (
  update tracking_devices k
  set guid = gen_random_uuid(), type = $3, vehicle_id = v.guid, status = 'active', last_seen = null, battery_level = null,
      battery_at = null, fault = null, created_at = now()
  from vehicle v
  where k.business_id = $1 and k.device_id = $2
    and not exists (select from vehicles o where o.business_id = $1 and o.guid = k.vehicle_id and o.deleted_at is null)
  returning k.guid, k.device_id, k.status
), added as (
  insert into tracking_devices (business_id, device_id, type, vehicle_id)
  select $1, $2, $3, $4
  where ($4::uuid is null or exists (select from vehicle)) and not exists (select from moved)
  returning guid, device_id, status
)
select guid, device_id as "deviceId", status from moved
union all
select guid, device_id, status from added
