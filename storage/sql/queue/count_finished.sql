-- Adds counts of finished runs.
-- $1 businesses uuid[], $2 units text[] (day or hour), $3 starts timestamptz[], $4 workflows uuid[],
-- $5 statuses text[], $6 runs bigint[] (numbers of runs), $7 latencies text[] (JSON, null element: none),
-- $8 newest timestamptz[] (creation of the newest run)
insert into run_counts (business_id, unit, start, workflow_id, status, runs, latencies, newest_at)
select a.business_id, a.unit, a.start, a.workflow_id, a.status, a.runs, a.latencies::jsonb, a.newest_at
from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::bigint[], $7::text[], $8::timestamptz[])
  a (business_id, unit, start, workflow_id, status, runs, latencies, newest_at)
