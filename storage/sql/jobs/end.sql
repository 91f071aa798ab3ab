-- Ends a job that is not done, and deletes its contents: as cancelled if a call stopped it, otherwise as failed. Nothing happens if
-- the lease is lost, or if there is neither an error nor a reason to stop.
-- $1 business uuid, $2 job uuid, $3 lease uuid, $4 error jsonb or null
with ended as (
  update jobs
  set status = case when stop = 'CANCELLED' then 'cancelled' else 'failed' end, finished_at = clock_timestamp(),
      error = case stop when 'CANCELLED' then null
                        when 'ERASED' then jsonb_build_object('code', 'ERASED', 'details', null, 'message',
                          'A person was erased, whose data the job may have held; repeat the call.')
                        else $4::jsonb end,
      due_at = null, lease_owner = null, lease_until = null
  where business_id = $1::uuid and guid = $2::uuid and status = 'running' and lease_owner = $3::uuid
    and (stop is not null or $4::jsonb is not null)
  returning guid
)
delete from job_contents c using ended e where c.business_id = $1::uuid and c.job_id = e.guid
