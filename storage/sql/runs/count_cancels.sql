-- Returns the number of runs that cancel_range.sql would end. No row if the workflow does not exist.
-- $1 business uuid, $2 workflow uuid or null (all), $3 status text or null, $4 from timestamptz or null,
-- $5 end timestamptz or null (exclusive)
-- -> runs bigint
select c.runs
from (select count(*) as runs from run_queue
      where business_id = $1::uuid and ($2::uuid is null or workflow_id = $2::uuid) and ($3::text is null or status = $3::text)
        and ($4::timestamptz is null or created_at >= $4::timestamptz) and ($5::timestamptz is null or created_at < $5::timestamptz)) c
where $2::uuid is null or exists (select from workflows where business_id = $1::uuid and guid = $2::uuid)
