-- Makes other runs due when they should be, if a wrong clock has stored a later time: no lease lasts longer than $1, no
-- window is closed for longer than a week, or than 60 days if it opens on working days only, no run waits for longer than
-- minutes for an earlier one, a rate, or a place.
-- Returns the number of runs.
-- $1 lease interval
-- -> moved bigint, ...
with late as materialized (
  select q.ctid as place, case when q.status = 'running' then now() + $1::interval else now() end as right_time
  from run_queue q
  where q.status <> 'held' and q.due_at > now() + interval '10 minutes'
    and case when q.code = 'WINDOW' and q.status <> 'running' then q.due_at > now() + case when exists (
               select from workflows w
               where w.business_id = q.business_id and w.guid = q.workflow_id and w.time_window @> '{"workdays": true}')
               then interval '62 days' else interval '8 days' end
             else q.status in ('queued', 'running') or q.due_at = q.postponed_until end
  for update skip locked
), moved as (
  update run_queue q set due_at = l.right_time
  from late l where q.ctid = l.place  -- all but the rows that another session has just written
  returning 1
)
select count(*) as moved, case when count(*) > 0 then pg_notify('waybill_queue', '') end from moved
