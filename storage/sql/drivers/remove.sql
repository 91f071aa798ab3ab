-- Deletes a driver who has no dispatch in progress, and removes the driver from planned dispatches and the
-- vehicle. Returns whether a dispatch is in progress; nothing changes then. No row if the driver does not
-- exist.
-- $1 business uuid, $2 driver uuid
-- -> is_out boolean
with held as (
  select guid from drivers where business_id = $1 and guid = $2 and deleted_at is null for update
), state as (
  select h.guid, exists (select from dispatches d where d.business_id = $1 and d.driver_id = h.guid
                         and d.status = 'in_progress') as is_out
  from held h
), deleted as (
  update drivers r set deleted_at = now() from state s where r.business_id = $1 and r.guid = s.guid and not s.is_out
), unplanned as (
  update dispatches d set driver_id = null from state s
  where d.business_id = $1 and d.driver_id = s.guid and not s.is_out and d.status in ('draft', 'ready')
), left_vehicle as (
  update vehicles v set current_driver_id = null from state s
  where v.business_id = $1 and v.current_driver_id = s.guid and not s.is_out
)
select is_out from state
