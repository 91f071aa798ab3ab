-- Deletes a vehicle that has no dispatch in progress, and removes it from planned dispatches and devices.
-- Returns whether a dispatch is in progress; nothing changes then. No row if the vehicle does not exist.
-- $1 business uuid, $2 vehicle uuid
-- -> is_out boolean
with held as (
  select guid from vehicles where business_id = $1 and guid = $2 and deleted_at is null for update
), state as (
  select h.guid, exists (select from dispatches d where d.business_id = $1 and d.vehicle_id = h.guid
                         and d.status = 'in_progress') as is_out
  from held h
), deleted as (
  update vehicles r set deleted_at = now() from state s where r.business_id = $1 and r.guid = s.guid and not s.is_out
), unplanned as (
  update dispatches d set vehicle_id = null from state s
  where d.business_id = $1 and d.vehicle_id = s.guid and not s.is_out and d.status in ('draft', 'ready')
), loose as (
  update tracking_devices t set vehicle_id = null from state s
  where t.business_id = $1 and t.vehicle_id = s.guid and not s.is_out
)
select is_out from state
