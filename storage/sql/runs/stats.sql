-- Returns the numbers of a business's runs and the latencies of the succeeded ones, by slots of a length
-- that begin at `from`, without empty slots. Runs before `counted_end` are read from the counts of whole
-- units, later ones one by one. The latencies are a list of histograms: numbers of runs by latency_bucket. They are
-- read from run_sums where that has as many runs as the counts.
-- $1 business uuid, $2 workflow uuid or null, $3 from timestamptz, $4 counted_end timestamptz,
-- $5 end timestamptz (exclusive), $6 step interval, $7 unit text (day or hour)
-- -> slot timestamptz, succeeded bigint, dead bigint, skipped bigint, open bigint, latencies json or null
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
), histograms as (
  select slot, json_agg(latencies) as latencies
  from (select date_bin($6::interval, start, $3::timestamptz) as slot, latencies from latencies
        union all
        select slot, jsonb_object_agg(bucket, runs) from single where status = 'succeeded' group by slot) h
  group by slot
)
select t.slot, coalesce(t.succeeded, 0)::bigint as succeeded, coalesce(t.dead, 0)::bigint as dead,
       coalesce(t.skipped, 0)::bigint as skipped, coalesce(t.open, 0)::bigint as open, h.latencies
from totals t left join histograms h using (slot)
order by t.slot
