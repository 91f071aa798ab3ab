-- Deletes the files of jobs whose time is over, and jobs that ended and began more than 30 days ago, at most a number of each.
-- Returns the larger number.
-- $1 limit bigint
-- -> expired bigint
with old_files as materialized (
  select business_id, guid from jobs where file_until < now() order by file_until limit $1::bigint for update skip locked
), deleted_files as (
  delete from job_contents c using old_files f
  where c.business_id = f.business_id and c.job_id = f.guid
), files as (
  update jobs j set file_bytes = null, file_until = null from old_files f
  where j.business_id = f.business_id and j.guid = f.guid
  returning 1
), old_jobs as materialized (
  select business_id, guid from jobs
  where started_at < now() - interval '30 days' and status <> 'running' and file_until is null
  order by started_at limit $1::bigint
), jobs_deleted as (
  delete from jobs j using old_jobs o where j.business_id = o.business_id and j.guid = o.guid returning 1
)
select greatest((select count(*) from files), (select count(*) from jobs_deleted)) as expired
