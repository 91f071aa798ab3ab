-- Stops a running job, unless it is an erasure. Returns its kind and its status before. No row if there is no such job.
-- $1 business uuid, $2 job uuid
-- -> kind text, status text
with found as materialized (
  select guid, kind, status from jobs where business_id = $1::uuid and guid = $2::uuid for no key update
), stopped as (
  update jobs j set stop = coalesce(j.stop, 'CANCELLED'), due_at = now()
  from found f where j.business_id = $1::uuid and j.guid = f.guid and f.status = 'running' and f.kind <> 'erasure'
)
select kind, status from found
