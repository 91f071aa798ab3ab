-- Queues the oldest held runs of a workflow that is not paused, and wakes the workers. The duty release_held queues the
-- others. Returns the number of runs.
-- $1 business uuid, $2 workflow uuid, $3 limit bigint
-- -> released bigint, ...
with held as materialized (
  select q.guid from run_queue q
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.status = 'held'
    and exists (select from workflows w where w.business_id = $1::uuid and w.guid = $2::uuid and w.paused_reason is null)
  order by q.guid limit $3::bigint for update skip locked
), released as (
  update run_queue q set status = pending_status(q.attempts, q.steps), due_at = q.created_at
  from held h where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.guid = h.guid
  returning 1
)
select count(*) as released, pg_notify('waybill_queue', '') from released
