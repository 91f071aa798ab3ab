-- Starts a locked dispatch: sets the status of its vehicle, its driver and its shipments.
-- $1 business uuid, $2 dispatch uuid, $3 startable_statuses text[]
with started as (
  update dispatches set status = 'in_progress', started_at = now()
  where business_id = $1 and guid = $2 returning driver_id, vehicle_id
), vehicle as (
  update vehicles v set status = 'in_use', current_driver_id = coalesce(s.driver_id, v.current_driver_id) from started s
  where v.business_id = $1 and v.guid = s.vehicle_id
), driver as (
  update drivers k set status = 'on_duty' from started s where k.business_id = $1 and k.guid = s.driver_id
)
update shipments set status = 'out_for_delivery'
where business_id = $1 and dispatch_id = $2 and deleted_at is null and status = any($3::text[])
