-- Finished runs by business, unit of time, its start, workflow and status; arrays of one entry a count.
insert into run_counts (business_id, unit, start, workflow_id, status, runs)
select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::bigint[])
