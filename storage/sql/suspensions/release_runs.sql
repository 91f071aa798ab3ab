-- Queues held runs of a business whose workflows are not paused. Returns the number of runs.
-- $1 business uuid, $2 limit bigint
-- -> released bigint
with held as (
  select q.workflow_id, q.guid from run_queue q
  where q.business_id = $1::uuid and q.status = 'held'
    and not exists (select from workflows w where w.business_id = $1::uuid and w.guid = q.workflow_id
                    and w.paused_reason is not null and w.deleted_at is null)
  limit $2::bigint for update skip locked
), released as (
  update run_queue q set status = pending_status(q.attempts, q.steps), due_at = q.created_at
  from held h where q.business_id = $1::uuid and q.workflow_id = h.workflow_id and q.guid = h.guid
  returning 1
)
select count(*) as released from released
