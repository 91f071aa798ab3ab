-- Deletes counts of firings older than 8 days, at most a number of them; readers use at most 7 days. Returns how many.
-- $1 limit bigint
-- -> expired bigint
with old as materialized (
  select ctid as place from workflow_firings where hour < now() - interval '8 days' order by hour limit $1::bigint
), gone as (
  delete from workflow_firings f using old where f.ctid = old.place returning 1
)
select count(*) as expired from gone
