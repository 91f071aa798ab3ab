-- Runs that were put on hold while their workflow was being resumed, and those of deleted workflows, which end as skipped.
update run_queue q set status = case when attempts > 0 then 'retrying' else 'queued' end, due_at = q.created_at
from workflows w
where q.status = 'held' and w.business_id = q.business_id and w.guid = q.workflow_id 
  and (w.paused_reason is null or w.deleted_at is not null)
