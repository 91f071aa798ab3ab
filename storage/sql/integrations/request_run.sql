-- Requests an import. Returns whether the store is active, and the run; a requested run that has not begun is
-- used again. No row if the store does not exist.
-- $1 business uuid, $2 integration uuid, $3 new_run uuid
-- -> is_active boolean, run_id uuid
with found as (
  select guid, status = 'active' as is_active, requested_run from integrations
  where business_id = $1 and guid = $2 and removed_at is null for update
), asked as (
  update integrations i set requested_run = coalesce(f.requested_run, $3), due_at = now()
  from found f where i.business_id = $1 and i.guid = f.guid and f.is_active
), written as (
  insert into integration_runs (business_id, guid, integration_id)
  select $1, $3, guid from found where is_active and requested_run is null
)
select is_active, coalesce(requested_run, $3) as run_id from found
