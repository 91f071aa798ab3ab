-- Moves the beginnings of limited runs that a wrong clock has dated in the future back to the present, in their order.
-- Returns the number of runs.
-- -> moved bigint
with ahead as materialized (
  select workflow_id, value, max(begun_at) - now() as distance from limited_runs
  where begun_at > now() + interval '1 minute' group by workflow_id, value
), moved as (
  update limited_runs l set begun_at = l.begun_at - a.distance, expires_at = l.expires_at - a.distance
  from ahead a where l.workflow_id = a.workflow_id and l.value = a.value and l.begun_at > now()
  returning 1
)
select count(*) as moved from moved
