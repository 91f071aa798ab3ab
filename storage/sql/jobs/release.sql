-- Releases a job, which is due again after a delay, or at once if it is stopped. No row if the lease is lost.
-- $1 business uuid, $2 job uuid, $3 lease uuid, $4 delay interval, $5 is_failure boolean (the attempt counts as a failure),
-- $6 done bigint or null (as before), $7 total bigint or null (as before), $8 place text or null (as before)
update jobs
set lease_owner = null, lease_until = null, due_at = case when stop is null then now() + $4::interval else now() end,
    failures = case when $5::boolean then failures else 0 end,
    done = coalesce($6::bigint, done), total = coalesce($7::bigint, total), place = coalesce($8::text, place)
where business_id = $1::uuid and guid = $2::uuid and status = 'running' and lease_owner = $3::uuid
returning guid
