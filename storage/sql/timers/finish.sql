-- Deletes locked timers and stores the results of those that fired or did not. A timer without a run and a reason leaves
-- no result: its record or workflow is gone, or its field has another value.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 runs uuid[] (null element: did not fire),
-- $5 reasons text[]
with over as (
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) n (business_id, workflow_id, entity_id, run_id, reason)
), gone as (
  delete from timers t using over n
  where t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
  returning t.business_id, t.entity_id, t.workflow_id, t.value, t.due_at, t.plan, n.run_id, n.reason
)
insert into timer_results as r (business_id, entity_id, workflow_id, value, due_at, plan, run_id, reason)
select * from gone where run_id is not null or reason is not null
on conflict (business_id, entity_id, workflow_id, value) do update
set due_at = excluded.due_at, plan = excluded.plan, run_id = excluded.run_id, reason = excluded.reason, at = excluded.at
