-- Locks the vehicle and the driver of a dispatch that is about to start. Returns their statuses (null if not
-- set or deleted) and the number of the dispatch's undelivered shipments.
-- $1 business uuid, $2 vehicle uuid or null, $3 driver uuid or null, $4 dispatch uuid
-- -> vehicle_status text or null, driver_status text or null, undelivered bigint
with vehicle as (
  select status from vehicles where business_id = $1 and guid = $2 and deleted_at is null for no key update
), driver as (
  select status from drivers where business_id = $1 and guid = $3 and deleted_at is null for no key update
)
select (select status from vehicle) as vehicle_status, (select status from driver) as driver_status,
       (select count(*) from shipments s where s.business_id = $1 and s.dispatch_id = $4 and s.deleted_at is null
        and not is_final(s.status)) as undelivered
