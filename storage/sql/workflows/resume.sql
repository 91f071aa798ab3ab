-- Ends the pause of workflow $2; what was held becomes due in the order in which it was made.
with resumed as (
  update workflows set paused_reason = null, paused_at = null, updated_at = now()
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
  returning guid
), released as (
  update run_queue q set status = case when attempts > 0 then 'retrying' else 'queued' end, due_at = created_at
  from resumed r
  where q.business_id = $1::uuid and q.workflow_id = r.guid and q.status = 'held'
)
select guid, pg_notify('waybill_queue', '') from resumed
