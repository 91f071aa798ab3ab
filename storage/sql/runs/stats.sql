-- Returns the numbers of a business's runs and the latencies of the succeeded ones, by slots of a length
-- that begin at `from`, without empty slots. Runs before `counted_end` are read from the counts of whole
-- units, later ones by themselves. The percentiles are buckets of latency_bucket. Their histograms are read from
-- run_sums where that has as many runs as the counts.
-- $1 business uuid, $2 workflow uuid or null, $3 from timestamptz, $4 counted_end timestamptz,
-- $5 end timestamptz (exclusive), $6 step interval, $7 unit text (day or hour)
-- -> slot timestamptz, succeeded bigint, dead bigint, skipped bigint, open bigint, p50 int or null,
-- p95 int or null
with counted as materialized (
  select c.start, sum(c.runs) filter (where c.status = 'succeeded')::bigint as succeeded,
         sum(c.runs) filter (where c.status = 'dead')::bigint as dead,
         sum(c.runs) filter (where c.status = 'skipped')::bigint as skipped
  from run_counts c
  where c.business_id = $1::uuid and c.unit = $7 and c.start >= $3::timestamptz and c.start < $4::timestamptz
    and ($2::uuid is null or c.workflow_id = $2::uuid)
  group by c.start
), summed as materialized (
  select c.start, s.latencies
  from counted c
  left join run_sums s on s.business_id = $1::uuid and s.start = c.start and s.succeeded = c.succeeded
                          and $7 = 'hour' and $2::uuid is null
  where c.succeeded > 0
), latencies as (
  select start, latencies from summed where latencies is not null
  union all
  select s.start, r.latencies
  from summed s
  cross join lateral (select r.latencies from run_counts r
                      where r.business_id = $1::uuid and r.unit = $7 and r.start = s.start and r.status = 'succeeded'
                        and ($2::uuid is null or r.workflow_id = $2::uuid)) r
  where s.latencies is null
), single as materialized (
  select date_bin($6::interval, r.created_at, $3::timestamptz) as slot, r.status,
         latency_bucket(r.finished_at - r.created_at) as bucket, count(*) as runs
  from runs r
  where r.business_id = $1::uuid and r.created_at >= $4::timestamptz and r.created_at < $5::timestamptz
    and r.guid >= first_guid($4::timestamptz) and ($2::uuid is null or r.workflow_id = $2::uuid)
  group by 1, 2, 3
), totals as (
  select slot, sum(succeeded) as succeeded, sum(dead) as dead, sum(skipped) as skipped, sum(open) as open
  from (select date_bin($6::interval, start, $3::timestamptz) as slot, succeeded, dead, skipped, 0 as open from counted
        union all
        select slot, sum(runs) filter (where status = 'succeeded'), sum(runs) filter (where status = 'dead'),
               sum(runs) filter (where status = 'skipped'), 0
        from single group by slot
        union all
        select date_bin($6::interval, q.created_at, $3::timestamptz), 0, 0, 0, 1
        from run_queue q
        where q.business_id = $1::uuid and q.created_at >= $3::timestamptz and q.created_at < $5::timestamptz
          and ($2::uuid is null or q.workflow_id = $2::uuid)) r
  group by slot
), times as (
  select slot, bucket, sum(runs) as runs
  from (select date_bin($6::interval, c.start, $3::timestamptz) as slot, l.key::integer as bucket, l.value::bigint as runs
        from latencies c, jsonb_each_text(c.latencies) l
        union all
        select slot, bucket, runs from single where status = 'succeeded') l
  group by slot, bucket
), ranked as (
  select slot, bucket, sum(runs) over (partition by slot order by bucket) as up_to, sum(runs) over (partition by slot) as total
  from times
), percentiles as (
  select slot, min(bucket) filter (where up_to >= 0.5 * total) as p50, min(bucket) filter (where up_to >= 0.95 * total) as p95
  from ranked group by slot
)
select t.slot, coalesce(t.succeeded, 0)::bigint as succeeded, coalesce(t.dead, 0)::bigint as dead,
       coalesce(t.skipped, 0)::bigint as skipped, coalesce(t.open, 0)::bigint as open, p.p50, p.p95
from totals t left join percentiles p using (slot)
order by t.slot
