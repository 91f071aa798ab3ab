-- Deletes texts of steps older than the retention from the default partition. Returns the number of deleted
-- texts.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select t.ctid as place
  from only run_step_texts_other t
  where t.at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
  limit $2::bigint
), gone as (
  delete from only run_step_texts_other t using old where t.ctid = old.place returning 1
)
select count(*) as expired from gone
