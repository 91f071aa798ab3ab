-- A business's tracking devices: $1 business.
select k.guid, k.device_id as "deviceId", k.type, k.status, v.guid as "assignedVehicle.guid",
       v.name as "assignedVehicle.name", k.last_seen as "lastSeen", k.battery_level as "batteryLevel"
from tracking_devices k
left join vehicles v on v.business_id = k.business_id and v.guid = k.vehicle_id and v.deleted_at is null
where k.business_id = $1
order by k.device_id limit 1000
