-- Ends the next open runs of a business that match as skipped, and counts them, as cancel.sql does with one. A portion ends
-- with a run that is found first; the rows up to it are ended without a join, so that one that another session changes at the
-- same time is judged as it is then. Returns the number of runs that ended, and the last run of the portion, null if it is the
-- last portion. No row if the workflow does not exist.
-- $1 business uuid, $2 workflow uuid or null (all), $3 status text or null, $4 from timestamptz or null (time of creation),
-- $5 end timestamptz or null (exclusive), $6 after uuid or null (the last run of the portion before), $7 max_runs bigint
-- -> runs bigint, last uuid or null, ...
with portion as materialized (
  select guid as last from run_queue
  where business_id = $1::uuid and guid > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    and ($2::uuid is null or workflow_id = $2::uuid) and ($3::text is null or status = $3::text)
    and ($4::timestamptz is null or created_at >= $4::timestamptz) and ($5::timestamptz is null or created_at < $5::timestamptz)
  order by guid offset $7::bigint - 1 limit 1
), gone as (
  delete from run_queue
  where business_id = $1::uuid and guid > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    and guid <= coalesce((select last from portion), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and ($2::uuid is null or workflow_id = $2::uuid) and ($3::text is null or status = $3::text)
    and ($4::timestamptz is null or created_at >= $4::timestamptz) and ($5::timestamptz is null or created_at < $5::timestamptz)
  returning *, 'CANCELLED' as end_code, 'The run was cancelled.' as end_error
),
\ir ../queue/end_skipped.inc
select g.runs, (select last from portion) as last, case when g.runs > 0 then pg_notify('waybill_queue', '') end
from (select count(*) as runs from gone) g
where $2::uuid is null or exists (select from workflows where business_id = $1::uuid and guid = $2::uuid)
