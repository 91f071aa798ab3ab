-- Makes retries due when they should be, if a wrong clock has stored a later time. A retry waits for the time between the end
-- of its last attempt and its due time, at most for the delay of the schedule, or for a day if a server has answered and may
-- have asked for that, or if the mails of a day are used up. An attempt that has begun in the future began now. Runs that wait
-- for a window or an earlier run are left out. Returns the number of runs.
-- $1 delays text[] (of the retry schedule, ISO 8601)
-- -> moved bigint, ...
with far as materialized (
  select q.ctid as place, q.due_at, q.code, q.tries::jsonb -> -1 as last,
         attempts_of_step(q.attempts, q.steps) as attempts
  from run_queue q
  where q.status = 'retrying' and q.due_at > now() + interval '1 minute' and q.code is distinct from 'WINDOW'
    and q.due_at is distinct from q.postponed_until
  for update skip locked
), attempts as (
  select place, due_at, coalesce((last ->> 'startedAt')::timestamptz, now()) as began,
         coalesce((last ->> 'durationMs')::float8, 0) * interval '1 millisecond' as took,
         greatest(coalesce(($1::text[]::interval[])[attempts], interval '0') * 1.2,
                  case when last ->> 'statusCode' is not null or code = 'RATE_LIMITED' then interval '1 day'
                       else interval '0' end) as longest
  from far
), late as (
  select place, due_at, least(began, now()) + took + least(due_at - began - took, longest) as right_time from attempts
), moved as (
  update run_queue q set due_at = l.right_time
  from late l where q.ctid = l.place and l.due_at > l.right_time + interval '1 minute'  -- all but the rows that another session has just written
  returning 1
)
select count(*) as moved, case when count(*) > 0 then pg_notify('waybill_queue', '') end from moved
