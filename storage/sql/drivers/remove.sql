-- Deletes a locked driver who has no dispatch in progress, and removes the driver from planned dispatches and
-- vehicles. Returns whether a dispatch is in progress, and whether a planned one or a vehicle names the driver that is
-- not locked; nothing changes then.
-- $1 business uuid, $2 driver uuid, $3 plans uuid[] (the locked dispatches), $4 vehicles uuid[] (the locked ones)
-- -> is_out boolean, is_named_elsewhere boolean
with state as (
  select exists (select from dispatches d where d.business_id = $1 and d.driver_id = $2
                 and d.status = 'in_progress') as is_out,
         exists (select from dispatches d where d.business_id = $1 and d.driver_id = $2
                 and d.status in ('draft', 'ready') and d.deleted_at is null and d.guid <> all ($3::uuid[]))
         or exists (select from vehicles v where v.business_id = $1 and v.current_driver_id = $2
                    and v.guid <> all ($4::uuid[])) as is_named_elsewhere
), free as (
  select from state where not is_out and not is_named_elsewhere
), deleted as (
  update drivers r set deleted_at = now() from free where r.business_id = $1 and r.guid = $2
), unplanned as (
  update dispatches d set driver_id = null from free
  where d.business_id = $1 and d.driver_id = $2 and d.status in ('draft', 'ready') and d.deleted_at is null
), left_vehicle as (
  update vehicles v set current_driver_id = null from free where v.business_id = $1 and v.current_driver_id = $2
)
select is_out, is_named_elsewhere from state
