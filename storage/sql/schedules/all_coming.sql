-- Locks and returns schedules of all businesses whose next tick is still to come, after a position, apart from those that another
-- session has locked.
-- $1 last_business uuid, $2 last_workflow uuid, $3 limit bigint
-- -> business_id uuid, workflow_id uuid, plan int, zone text, now timestamptz
select s.business_id, s.workflow_id, s.plan, b.timezone as zone, statement_timestamp() as now
from schedules s
join businesses b on b.guid = s.business_id
where (s.business_id, s.workflow_id) > ($1::uuid, $2::uuid)
  and (s.next_at > statement_timestamp() or s.check_at = 'infinity')
order by s.business_id, s.workflow_id
limit $3::bigint
for update of s skip locked
