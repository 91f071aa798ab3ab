-- Deletes counts of firings, of matched events and of what sources brought that are older than 57 days, at most a number of each. Returns how many of the
-- more frequent ones.
-- $1 limit bigint
-- -> expired bigint
with old as materialized (
  select ctid as place from workflow_firings where hour < now() - interval '57 days' order by hour limit $1::bigint
), gone as (
  delete from workflow_firings f using old where f.ctid = old.place returning 1
), old_events as materialized (
  select ctid as place from matched_events where hour < now() - interval '57 days' order by hour limit $1::bigint
), gone_events as (
  delete from matched_events e using old_events o where e.ctid = o.place returning 1
), old_sources as materialized (
  select ctid as place from source_counts where hour < now() - interval '57 days' order by hour limit $1::bigint
), gone_sources as (
  delete from source_counts s using old_sources o where s.ctid = o.place returning 1
)
select greatest((select count(*) from gone), (select count(*) from gone_events), (select count(*) from gone_sources)) as expired
