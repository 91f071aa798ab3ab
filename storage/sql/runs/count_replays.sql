-- Returns the number of runs that replay_range.sql would repeat. No row if the workflow does not exist.
-- $1 business uuid, $2 workflow uuid or null (all), $3 from timestamptz or null,
-- $4 end timestamptz or null (exclusive), $5 status text or null
-- -> runs bigint
with wanted as (
  select guid from workflows
  where business_id = $1::uuid and ($2::uuid is null or guid = $2::uuid) and deleted_at is null
), counted as (
  select count(*) as runs
  from runs r
  where ($2::uuid is null or r.workflow_id = $2::uuid) and r.workflow_id in (select guid from wanted) and
\ir replayable.inc
)
select c.runs from counted c where $2::uuid is null or exists (select from wanted)
