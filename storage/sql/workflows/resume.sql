-- Ends the pause of a workflow and queues its held runs in the order of their creation. Returns whether it
-- was paused.
-- $1 business uuid, $2 workflow uuid
-- -> guid uuid, paused boolean, ...
with found as (
  select guid, paused_reason is not null as paused from workflows
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
  for update
), resumed as (
  update workflows w set paused_reason = null, paused_at = null, updated_at = now()
  from found f
  where w.business_id = $1::uuid and w.guid = f.guid and f.paused
  returning w.guid
), released as (
  update run_queue q set status = case when attempts > 0 then 'retrying' else 'queued' end, due_at = created_at
  from resumed r
  where q.business_id = $1::uuid and q.workflow_id = r.guid and q.status = 'held'
)
select guid, paused, pg_notify('waybill_queue', '') from found
