-- Locks a schedule that is due, or whose next tick is to be computed, and that no other worker has locked. Returns it with
-- the state of its workflow. No row if there is none. Businesses that had their turn are left out.
-- $1 passed_over uuid[]
-- -> business_id uuid, workflow_id uuid, plan int, next_at timestamptz or null, zone text, is_active boolean,
-- active_since timestamptz, is_deleted boolean, version int, since timestamptz, now timestamptz
select s.business_id, s.workflow_id, s.plan, s.next_at, b.timezone as zone, w.is_active, w.active_since,
       w.deleted_at is not null or w.timer_plan is distinct from s.plan as is_deleted, w.version,
       coalesce(w.timer_since, now()) as since, statement_timestamp() as now
from schedules s
join workflows w on w.business_id = s.business_id and w.guid = s.workflow_id
join businesses b on b.guid = s.business_id
where s.check_at <= statement_timestamp() and s.business_id <> all ($1::uuid[])
order by s.check_at
limit 1
for update of s skip locked
