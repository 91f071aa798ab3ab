-- Locks and returns the schedules of a business whose next tick is still to come.
-- $1 business uuid
-- -> workflow_id uuid, plan int, zone text, now timestamptz, timeouts int
select s.workflow_id, s.plan, b.timezone as zone, statement_timestamp() as now, s.timeouts
from schedules s
join businesses b on b.guid = s.business_id
where s.business_id = $1::uuid and s.next_at > statement_timestamp()
order by s.workflow_id
for update of s
