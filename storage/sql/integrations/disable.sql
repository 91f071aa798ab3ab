-- Disables a store and cancels a requested import that has not begun.
-- $1 business uuid, $2 integration uuid
with before as (
  select guid, requested_run from integrations
  where business_id = $1 and guid = $2 and removed_at is null for update
), called_off as (
  update integration_runs r
  set finished_at = now(),
      errors = '[{"externalId": null, "orderNumber": null, "reason": "The store was disabled before the import began."}]'
  from before b where r.business_id = $1 and r.guid = b.requested_run
)
update integrations i set status = 'disabled', requested_run = null
from before b where i.business_id = $1 and i.guid = b.guid
returning i.guid, i.status
