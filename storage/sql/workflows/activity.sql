-- Returns the states of a business's workflows, the creation of the newest run of each, the numbers of its runs since the
-- hour that began 24 hours before this one, and the usual number of its firings in this time. Only a workflow that can fire
-- has an expected number, or is silent.
-- $1 business uuid, $2 entity_type smallint or null (all)
-- -> guid uuid, paused_reason text or null, is_active boolean, last_run_at timestamptz or null,
-- succeeded bigint, dead bigint, expected_from bigint or null, expected_to bigint or null,
-- silent_since timestamptz or null
with counted as (
  select workflow_id, sum(runs) filter (where status = 'succeeded') as succeeded, sum(runs) filter (where status = 'dead') as dead
  from run_counts
  where business_id = $1::uuid and unit = 'hour' and start >= date_trunc('hour', now() - interval '24 hours', 'UTC')
  group by workflow_id
), finished as (
  select workflow_id, max(newest_at) as newest_at from run_counts where business_id = $1::uuid and unit = 'day' group by workflow_id
)
select w.guid, w.paused_reason, w.is_active, greatest(n.newest_at, o.created_at) as last_run_at,
       coalesce(c.succeeded, 0)::bigint as succeeded, coalesce(c.dead, 0)::bigint as dead,
       f.expected_from, f.expected_to, f.silent_since
from workflows w
\ir watch_of.inc
left join counted c on c.workflow_id = w.guid
left join finished n on n.workflow_id = w.guid
left join lateral (
  -- Only the index of workflows has this order. For the runs of one workflow in the order of their guids, the planner may
  -- choose the key and read all runs of the business.
  select n.created_at
  from (select q.workflow_id, q.created_at from run_queue q
        where q.business_id = w.business_id
          and (q.workflow_id, q.guid) <= (w.guid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by q.workflow_id desc, q.guid desc limit 1) n
  where n.workflow_id = w.guid) o on true
where w.business_id = $1::uuid and ($2::smallint is null or w.entity_type = $2::smallint) and w.deleted_at is null
