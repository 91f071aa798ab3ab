-- Returns the number of the messages of a workflow, from its newest runs, and a page of these messages, newest first.
-- $1 business uuid, $2 workflow uuid, $3 no_record uuid,
-- $4 from timestamptz or null, $5 end timestamptz or null (exclusive), $6 most_runs bigint, $7 limit bigint, $8 offset bigint
-- -> total bigint, data json
with wanted as materialized (
  select $2::uuid as workflow_id
),
\ir workflow_runs.inc
, found as materialized (
  select r.*, null::integer as only_step
  from workflow_runs w
  cross join lateral (
    select guid, created_at, action, status, code, finished_at, replay_of, steps from runs
    where business_id = $1::uuid and guid = w.guid and created_at = w.created_at) r
  union all
  (select guid, created_at, action, status, code, null, replay_of, steps, null from run_queue
   where business_id = $1::uuid and workflow_id = $2::uuid order by guid desc limit $6::bigint)
),
\ir entries.inc
,
\ir shown.inc
\ir result.inc
