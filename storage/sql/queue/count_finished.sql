-- Finished runs by business, day (UTC), workflow and status; arrays of one entry a count.
insert into run_counts (business_id, day, workflow_id, status, runs)
select * from unnest($1::uuid[], $2::date[], $3::uuid[], $4::text[], $5::bigint[])
