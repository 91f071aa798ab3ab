-- Returns whether the driver exists and whether the vehicle exists (true for null).
-- $1 business uuid, $2 driver uuid or null, $3 vehicle uuid or null
-- -> has_driver boolean, has_vehicle boolean
select $2::uuid is null
       or exists (select from drivers d where d.business_id = $1 and d.guid = $2 and d.deleted_at is null) as has_driver,
       $3::uuid is null
       or exists (select from vehicles v where v.business_id = $1 and v.guid = $3 and v.deleted_at is null) as has_vehicle
