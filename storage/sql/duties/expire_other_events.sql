-- Deletes recorded events older than the retention from the default partition and keeps their status changes.
-- Returns the number of deleted events.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select e.ctid as place
  from only events_other e
  where e.at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
    and not exists (select from pending_events p where p.shard = shard_of(e.business_id) and p.id = e.id)
  limit $2::bigint
), gone as (
  delete from only events_other e using old where e.ctid = old.place returning e as event
), kept as (
  insert into status_history select s.* from gone g, status_changes(g.event) s on conflict do nothing
)
select count(*) as expired from gone
