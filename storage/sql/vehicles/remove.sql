-- Deletes a locked vehicle that has no dispatch in progress, and removes it from planned dispatches and devices.
-- Returns whether a dispatch is in progress, and whether a planned one names the vehicle that is not locked;
-- nothing changes then.
-- $1 business uuid, $2 vehicle uuid, $3 plans uuid[] (the locked dispatches)
-- -> is_out boolean, is_in_other_plan boolean
with state as (
  select exists (select from dispatches d where d.business_id = $1 and d.vehicle_id = $2
                 and d.status = 'in_progress') as is_out,
         exists (select from dispatches d where d.business_id = $1 and d.vehicle_id = $2
                 and d.status in ('draft', 'ready') and d.deleted_at is null and d.guid <> all ($3::uuid[])) as is_in_other_plan
), free as (
  select from state where not is_out and not is_in_other_plan
), deleted as (
  update vehicles r set deleted_at = now() from free where r.business_id = $1 and r.guid = $2
), unplanned as (
  update dispatches d set vehicle_id = null from free
  where d.business_id = $1 and d.vehicle_id = $2 and d.status in ('draft', 'ready') and d.deleted_at is null
), loose as (
  update tracking_devices t set vehicle_id = null from free where t.business_id = $1 and t.vehicle_id = $2
)
select is_out, is_in_other_plan from state
