-- Sets or moves timers, each record and workflow at most once in a call. Locks them in the order of their keys. A value that has
-- fired is not set again, nor one that came due under the same plan: a timer that waits for an earlier value is then deleted. An
-- older plan or event does not replace a newer one. A scan (event 0) moves a timer that an event has set for the same value.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 plans int[], $5 values timestamptz[],
-- $6 dues timestamptz[], $7 events bigint[], $8 depths int[], $9 only_moves boolean (true: no timer is added)
with n as (
  select n.*, exists (select from timer_results r
                      where r.business_id = n.business_id and r.entity_id = n.entity_id and r.workflow_id = n.workflow_id
                        and r.value = n.value and (r.run_id is not null or r.plan >= n.plan)) as is_over
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::timestamptz[], $6::timestamptz[], $7::bigint[],
              $8::integer[])
    n (business_id, workflow_id, entity_id, plan, value, due_at, event_id, depth)
), locked as materialized (  -- the deletion comes after the ordered insertion
  select t.entity_id from timers t
  join n on t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
  where not $9::boolean and (select bool_or(is_over) from n)
  order by t.business_id, t.workflow_id, t.entity_id
  for update of t
), gone as (
  delete from timers t using n
  where n.is_over and not $9::boolean
    and t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
    and (t.plan, t.event_id) <= (n.plan, n.event_id)
)
insert into timers as t (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, event_id, depth)
select n.business_id, n.workflow_id, n.entity_id, shard_of(n.business_id), n.plan, n.value, n.due_at, n.due_at, n.event_id,
       n.depth
from n
where not n.is_over and (select count(*) from locked) >= 0  -- locks first
  and (not $9::boolean
       or exists (select from timers w
                  where w.business_id = n.business_id and w.workflow_id = n.workflow_id and w.entity_id = n.entity_id
                    and (w.plan, w.value) = (n.plan, n.value)))
order by n.business_id, n.workflow_id, n.entity_id
on conflict (business_id, workflow_id, entity_id) do update
set plan = excluded.plan, value = excluded.value, due_at = excluded.due_at, check_at = excluded.check_at,
    event_id = case when excluded.plan = t.plan then greatest(excluded.event_id, t.event_id) else excluded.event_id end,
    depth = case when (excluded.plan, excluded.event_id) >= (t.plan, t.event_id) then excluded.depth else t.depth end
where (excluded.plan, excluded.event_id) >= (t.plan, t.event_id)
   or (excluded.event_id = 0 and (excluded.plan, excluded.value) = (t.plan, t.value) and excluded.due_at <> t.due_at)
