-- Ends an import run after the page under way, which holds the row of the integration. An integration that imports by itself
-- begins its next run some minutes later. Nothing happens if the run has ended.
-- $1 business uuid, $2 run uuid
with held as materialized (
  select guid, requested_run is not distinct from $2::uuid as is_waiting from integrations
  where business_id = $1::uuid
    and guid = (select integration_id from integration_runs
                where business_id = $1::uuid and guid = $2::uuid and finished_at is null)
  for update
), ended as (
  update integration_runs r
  set finished_at = clock_timestamp(),
      errors = jsonb_path_query_array(r.errors || '[{"externalId": null, "orderNumber": null, "reason": "Cancelled."}]', '$[0 to 99]')
  from held h where r.business_id = $1::uuid and r.guid = $2::uuid and r.finished_at is null
  returning r.guid
)
update integrations i
set requested_run = case when h.is_waiting then null else i.requested_run end,
    lease_owner = case when h.is_waiting then i.lease_owner end,
    lease_until = case when h.is_waiting then i.lease_until end,
    due_at = case when h.is_waiting then i.due_at else greatest(i.due_at, now() + interval '5 minutes') end
from held h, ended e where i.business_id = $1::uuid and i.guid = h.guid
