-- Deletes positions of the default partition from before the last $1 days, $2 at most. Answers how many.
with old as materialized (
  select p.ctid as place
  from only positions_other p
  where p.at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
  limit $2::bigint
), gone as (
  delete from only positions_other p using old where p.ctid = old.place returning 1
)
select count(*) from gone
