-- Queues held runs of workflows that are deleted or not paused, unless their business is suspended; runs can be held
-- while their workflow or business is being resumed. Also makes waiting and retrying runs of workflows deleted in the last hour due, at most ten
-- thousand of each workflow; they end as skipped.
with resumed as (
  update run_queue q set status = case when attempts > 0 then 'retrying' else 'queued' end, due_at = q.created_at
  from workflows w
  where q.status = 'held' and w.business_id = q.business_id and w.guid = q.workflow_id
    and (w.paused_reason is null or w.deleted_at is not null)
    and not exists (select from businesses b where b.guid = q.business_id and b.suspended_at is not null)
)
update run_queue q set status = case when attempts > 0 then 'retrying' else 'queued' end, due_at = q.created_at
from (
  select l.place
  from workflows w, lateral (
    select q.ctid as place from run_queue q
    where q.business_id = w.business_id and q.workflow_id = w.guid and q.status in ('waiting', 'retrying') and q.due_at > now()
    limit 10000 for update skip locked
  ) l
  where w.deleted_at > now() - interval '1 hour'
) left_over
where q.ctid = left_over.place  -- valid, because this statement has locked the rows
