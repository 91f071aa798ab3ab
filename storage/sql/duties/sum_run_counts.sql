-- Sums the latencies of hours that have at least `least_counts` counts and whose sum is missing or has another number of
-- runs, newest first, at most `limit` hours. The present hours still change and are left out. Returns the number of hours.
-- $1 least_counts bigint, $2 limit bigint
-- -> hours bigint
with stale as materialized (
  select c.business_id, c.start, c.succeeded
  from (select business_id, start, sum(runs)::bigint as succeeded from run_counts
        where unit = 'hour' and status = 'succeeded' and start < date_trunc('hour', now(), 'UTC') - interval '1 hour'
        group by business_id, start having count(*) >= $1::bigint) c
  left join run_sums s on s.business_id = c.business_id and s.start = c.start
  where s.succeeded is distinct from c.succeeded
  order by c.start desc
  limit $2::bigint
), existing as materialized (  -- a deletion waits, so that it sees the sums
  select guid from businesses where guid in (select business_id from stale) for key share
), buckets as (
  select s.business_id, s.start, l.key as bucket, sum(l.value::bigint) as runs
  from stale s
  cross join lateral (select r.latencies from run_counts r
                      where r.business_id = s.business_id and r.unit = 'hour' and r.start = s.start
                        and r.status = 'succeeded') r,
       jsonb_each_text(r.latencies) l
  group by s.business_id, s.start, l.key
), written as (
  insert into run_sums (business_id, start, succeeded, latencies)
  select s.business_id, s.start, s.succeeded, coalesce(b.latencies, '{}')
  from stale s
  join existing e on e.guid = s.business_id
  left join (select business_id, start, jsonb_object_agg(bucket, runs) as latencies from buckets group by 1, 2) b
    on b.business_id = s.business_id and b.start = s.start
  on conflict (business_id, start) do update set succeeded = excluded.succeeded, latencies = excluded.latencies
)
select count(*) as hours from stale
