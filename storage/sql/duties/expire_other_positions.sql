-- Deletes positions older than the retention from the default partition. Returns the number of deleted
-- positions.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select p.ctid as place
  from only positions_other p
  where p.at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
  limit $2::bigint
), gone as (
  delete from only positions_other p using old where p.ctid = old.place returning 1
)
select count(*) as expired from gone
