-- Makes runs that wait for the delay of their workflow or for a wait of a step due when they should be, if a wrong clock has
-- stored a later time. A wait that has begun in the future began now. A wait until a time of the record is left out, as are
-- runs that wait for a window, a label or an earlier run. One of working days may have begun with another calendar, so it is right
-- within the 60 days among which they are looked for. Returns the number of runs.
-- -> moved bigint, ...
with far as materialized (
  select q.ctid as place, q.business_id, q.workflow_id, q.workflow_version, q.created_at, q.replay_of, q.due_at, q.steps
  from run_queue q
  where q.status = 'waiting' and q.due_at > now() + interval '1 minute' and (q.code is null or q.code not in ('WINDOW', 'LABEL'))
    and q.due_at is distinct from q.postponed_until
), versions as materialized (
  select business_id, workflow_id, v.version as workflow_version, (v.definition ->> 'delay')::interval as delay,
         (v.definition ->> 'workdays')::interval as workdays, flat_steps(v.definition -> 'action' -> 'steps') as steps
  from (select distinct business_id, workflow_id, workflow_version from far) k
  join workflow_versions v using (business_id, workflow_id)
  where v.version = k.workflow_version
), late as (
  select f.place, f.due_at,
         case when c.workdays is null then s.start + c.delay
              when f.due_at > s.start + interval '61 days' then
                coalesce(working_day_from(s.start, extract(day from c.workdays)::integer, b.timezone, b.workdays, b.holidays),
                         s.start + interval '60 days')
         end as right_time
  from far f join versions v using (business_id, workflow_id, workflow_version)
  join businesses b on b.guid = f.business_id,
       lateral (select f.steps is not null and f.steps::jsonb ->> 'startedAt' is not null as is_step) w,
       lateral (select v.steps -> ((f.steps::jsonb ->> 'number')::integer - 1) as step) n,
       lateral (select least(case when w.is_step then (f.steps::jsonb ->> 'startedAt')::timestamptz else f.created_at end, now()) as start) s,
       lateral (select case when w.is_step then (n.step ->> 'delay')::interval else v.delay end as delay,
                       case when not w.is_step then v.workdays
                            when n.step #>> '{workdays,until}' is null then (n.step #>> '{workdays,days}')::interval end as workdays) c
  where w.is_step or f.replay_of is null
), free as materialized (
  select q.ctid as place, l.right_time
  from late l join run_queue q on q.ctid = l.place
  where l.due_at > l.right_time + interval '1 minute' and q.due_at = l.due_at and q.status = 'waiting'
  for update of q skip locked
), moved as (
  update run_queue q set due_at = f.right_time
  from free f where q.ctid = f.place  -- all but the rows that another session has just written
  returning 1
)
select count(*) as moved, case when count(*) > 0 then pg_notify('waybill_queue', '') end from moved
