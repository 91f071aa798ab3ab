-- Makes waiting and retrying runs of workflows deleted in the last hour due, at most ten thousand of each workflow; they end as
-- skipped.
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
