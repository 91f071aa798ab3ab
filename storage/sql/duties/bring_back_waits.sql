-- Makes runs that wait for the delay of their workflow or for a wait of a step due when they should be, if a wrong clock has
-- stored a later time. A wait that has begun in the future began now. A wait until a time of the record is left out, as are
-- runs that wait for a window or an earlier run. Returns the number of runs.
-- -> moved bigint, ...
with far as materialized (
  select q.ctid as place, q.business_id, q.workflow_id, q.workflow_version, q.created_at, q.replay_of, q.due_at, q.steps
  from run_queue q
  where q.status = 'waiting' and q.due_at > now() + interval '1 minute' and q.code is distinct from 'WINDOW'
    and q.due_at is distinct from q.postponed_until
), versions as materialized (
  select business_id, workflow_id, v.version as workflow_version, (v.definition ->> 'delay')::interval as delay,
         flat_steps(v.definition -> 'action' -> 'steps') as steps
  from (select distinct business_id, workflow_id, workflow_version from far) k
  join workflow_versions v using (business_id, workflow_id)
  where v.version = k.workflow_version
), late as (
  select f.place, f.due_at, least(case when w.is_step then (f.steps::jsonb ->> 'startedAt')::timestamptz else f.created_at end, now())
                            + case when w.is_step then (v.steps -> ((f.steps::jsonb ->> 'number')::integer - 1) ->> 'delay')::interval
                                   else v.delay end as right_time
  from far f join versions v using (business_id, workflow_id, workflow_version),
       lateral (select f.steps is not null and f.steps::jsonb ->> 'startedAt' is not null as is_step) w
  where w.is_step or f.replay_of is null
), free as materialized (
  select q.ctid as place, l.right_time
  from late l join run_queue q on q.ctid = l.place
  where l.due_at > l.right_time + interval '1 minute' and q.due_at = l.due_at and q.status = 'waiting'
  for update of q skip locked
), moved as (
  update run_queue q set due_at = f.right_time
  from free f where q.ctid = f.place  -- valid, because this statement has locked the rows
  returning 1
)
select count(*) as moved, case when count(*) > 0 then pg_notify('waybill_queue', '') end from moved
