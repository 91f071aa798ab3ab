-- Deletes events of digests older than the retention from the default partition. Returns the number of deleted rows.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select e.ctid as place
  from only digest_events_other e
  where e.at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
  limit $2::bigint
), gone as (
  delete from only digest_events_other e using old where e.ctid = old.place returning 1
)
select count(*) as expired from gone
