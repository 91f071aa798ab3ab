-- Ends a job as done and deletes its call: the last statement of the job's transaction. No row if the job is stopped or the
-- lease is lost.
-- $1 business uuid, $2 job uuid, $3 lease uuid, $4 result jsonb or null, $5 file_bytes bigint or null (no file),
-- $6 file_time interval (how long the file is kept)
with ended as (
  update jobs
  set status = 'done', finished_at = clock_timestamp(), result = $4::jsonb, file_bytes = $5::bigint,
      file_until = case when $5::bigint is not null then clock_timestamp() + $6::interval end,
      due_at = null, lease_owner = null, lease_until = null
  where business_id = $1::uuid and guid = $2::uuid and status = 'running' and lease_owner = $3::uuid and stop is null
  returning guid
), deleted as (
  delete from job_contents c using ended e
  where c.business_id = $1::uuid and c.job_id = e.guid and c.name like 'call/%'
)
select guid from ended
