-- Deletes runs that no longer count for the limit of their workflow, and rates that were not used for a day.
-- The row of an open run stays and is looked at again after an hour. Returns the number of rows that it looked
-- at.
-- $1 limit bigint
-- -> seen bigint
with old as materialized (
  select l.ctid as place, exists (select from run_queue q where q.business_id = l.business_id and q.guid = l.run) as is_open
  from limited_runs l
  where l.expires_at < now()
  order by l.expires_at limit $1::bigint
  for update skip locked
), kept as (
  update limited_runs l set expires_at = now() + interval '1 hour'
  from old where l.ctid = old.place and old.is_open  -- valid, because this statement has locked the rows
), gone as (
  delete from limited_runs l using old where l.ctid = old.place and not old.is_open
), unused as (
  delete from request_rates where full_at < now() - interval '1 day'
)
select count(*) as seen from old
