-- Returns the reports of a business's destinations of the last 36 hours, one for each worker, with the counts of the last hour.
-- runs: long
-- $1 business uuid
-- -> kind text, name text, is_live boolean (the worker runs), places int, next_probe_at timestamptz or null, succeeded bigint,
-- -> failed bigint, durations text (counts, the classes of one or two half hours), workflows text (guids),
-- -> published_at timestamptz, now timestamptz
with reports as materialized (
  select * from destination_reports where business_id = $1::uuid and published_at > now() - interval '36 hours'
), workers as materialized (
  -- A standby may be behind by some seconds.
  select w.worker, lease_end(w.worker) > now() - interval '1 minute' as is_live
  from (select distinct worker from reports) w
)
select r.kind, r.name, w.is_live, r.places, r.next_probe_at,
       (select coalesce(sum(c.attempts), 0)::bigint from unnest(r.succeeded) with ordinality c (attempts, place)
        where r.counted_from - (c.place - 1) * interval '5 minutes' > now() - interval '1 hour') as succeeded,
       (select coalesce(sum(c.attempts), 0)::bigint from unnest(r.failed) with ordinality c (attempts, place)
        where r.counted_from - (c.place - 1) * interval '5 minutes' > now() - interval '1 hour') as failed,
       case extract(epoch from date_bin('30 minutes', now(), 'epoch') - date_bin('30 minutes', r.counted_from, 'epoch'))
         when 0 then array_to_string(r.durations, ',')
         when 1800 then array_to_string(r.durations[1:cardinality(r.durations) / 2], ',')
         else ''
       end as durations,
       array_to_string(r.workflows, ',') as workflows, r.published_at, now() as now
from reports r join workers w using (worker)
order by r.published_at desc
