-- Counts failures of runs, if their businesses want alerts about them: those of groups, and those of queued runs that the
-- worker still holds by the same claim. The order of the rows is the same for all workers, so they do not wait for each other in a circle.
-- $1 worker uuid, $2 businesses uuid[], $3 causes text[], $4 workflows uuid[], $5 runs uuid[] (the last of each group),
-- $6 oldest timestamptz[], $7 newest timestamptz[], $8 counts bigint[], $9 queued_businesses uuid[],
-- $10 queued_workflows uuid[], $11 queued_runs uuid[], $12 queued_causes text[], $13 queued_claims int[]
with over as (
  select * from unnest($9::uuid[], $10::uuid[], $11::uuid[], $12::text[], $13::integer[])
    o (business_id, workflow_id, guid, cause, claim)
),
\ir ../queue/places.inc
, failed as (
  select * from unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::timestamptz[], $8::bigint[])
    g (business_id, cause, workflow_id, run_id, oldest, newest, count)
  union all
  select q.business_id, p.cause, q.workflow_id, q.guid, q.created_at, q.created_at, 1
  from places p join run_queue q on q.ctid = p.place
  where q.lease_owner = $1::uuid and q.claims = p.claim
), groups as (
  select business_id, cause, workflow_id, (array_agg(run_id order by newest desc))[1] as run_id, min(oldest) as oldest,
         max(newest) as newest, sum(count)::bigint as count
  from failed group by business_id, cause, workflow_id order by business_id, cause, workflow_id
)
select count_failures(business_id, cause, workflow_id, run_id, oldest, newest, count) from groups
