-- Adds counts of finished runs.
-- $1 businesses, $2 units of time, $3 starts, $4 workflows, $5 statuses, $6 numbers of runs
insert into run_counts (business_id, unit, start, workflow_id, status, runs)
select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::bigint[])
