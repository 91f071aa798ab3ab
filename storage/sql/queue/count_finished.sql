-- Adds counts of finished runs.
-- $1 businesses uuid[], $2 units text[] (day or hour), $3 starts timestamptz[], $4 workflows uuid[],
-- $5 statuses text[], $6 runs bigint[] (numbers of runs)
insert into run_counts (business_id, unit, start, workflow_id, status, runs)
select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::bigint[])
