-- Deletes runs older than the retention from the default partition and subtracts them from the counts.
-- Returns the number of deleted runs.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select r.ctid as place
  from only runs_other r
  where r.created_at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
  limit $2::bigint
), gone as (
  delete from only runs_other r using old where r.ctid = old.place returning r.business_id, r.workflow_id, r.status, r.created_at
), uncounted as (
  insert into run_counts (business_id, unit, start, workflow_id, status, runs)
  select g.business_id, u.unit, date_trunc(u.unit, g.created_at, 'UTC'), g.workflow_id, g.status, -count(*)
  from gone g, unnest(array['day', 'hour']) u (unit)
  group by 1, 2, 3, 4, 5
)
select count(*) as expired from gone
