-- Returns whether the driver exists and whether the vehicle exists (true for null), and keeps both from being deleted until
-- the transaction ends. Must run after the dispatch is locked: see decision 10.
-- $1 business uuid, $2 driver uuid or null, $3 vehicle uuid or null
-- -> has_vehicle boolean, has_driver boolean
with vehicle as (
  select guid from vehicles where business_id = $1 and guid = $3 and deleted_at is null for key share
), driver as (
  select guid from drivers where business_id = $1 and guid = $2 and deleted_at is null for key share
)
select $3::uuid is null or exists (select from vehicle) as has_vehicle,
       $2::uuid is null or exists (select from driver) as has_driver
