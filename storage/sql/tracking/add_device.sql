-- Adds a tracking device and returns it. No row if the vehicle does not exist.
-- $1 business uuid, $2 device_id text, $3 type text, $4 vehicle uuid or null
-- -> guid uuid, ...
insert into tracking_devices (business_id, device_id, type, vehicle_id)
select $1, $2, $3, $4
where $4::uuid is null
   or exists (select from vehicles v where v.business_id = $1 and v.guid = $4 and v.deleted_at is null)
returning guid, device_id as "deviceId", status
