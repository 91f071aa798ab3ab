-- Stores the progress of a job and renews its lease. No row if the job is stopped, the lease is lost or the business is suspended.
-- $1 business uuid, $2 job uuid, $3 lease uuid, $4 done bigint, $5 total bigint or null, $6 place text or null (as before),
-- $7 lease_time interval
update jobs
set done = $4::bigint, total = $5::bigint, place = coalesce($6::text, place), lease_until = clock_timestamp() + $7::interval
where business_id = $1::uuid and guid = $2::uuid and status = 'running' and lease_owner = $3::uuid and stop is null
  and not exists (select from businesses b where b.guid = $1::uuid and b.suspended_at is not null)
returning guid
