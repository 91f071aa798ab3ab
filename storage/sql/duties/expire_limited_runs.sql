-- Deletes runs that no longer count for the limit of their workflow, and rates that were not used for a day,
-- at most a number of each.
-- The row of an open run stays and is looked at again after an hour. Returns the number of rows that it looked
-- at.
-- $1 limit bigint
-- -> seen bigint
with old as materialized (
  select l.ctid as place,
         exists (select from run_queue q
                 where q.business_id = l.business_id and q.workflow_id = l.workflow_id and q.guid = l.run) as is_open
  from limited_runs l
  where l.expires_at < now()
  order by l.expires_at limit $1::bigint
  for update skip locked
), kept as (
  update limited_runs l set expires_at = now() + interval '1 hour'
  from old where l.ctid = old.place and old.is_open  -- all but the rows that another session has just written
), gone as (
  delete from limited_runs l using old where l.ctid = old.place and not old.is_open
), unused as (
  delete from request_rates r
  using (select business_id, workflow_id, destination from request_rates
         where full_at < now() - interval '1 day' limit $1::bigint) u
  where r.business_id = u.business_id and r.workflow_id = u.workflow_id and r.destination = u.destination
    and r.full_at < now() - interval '1 day'
  returning 1
)
select greatest((select count(*) from old), (select count(*) from unused)) as seen
