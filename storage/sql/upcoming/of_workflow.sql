-- Returns what comes next for a workflow: its timers, its next tick, its open digests, and its queued runs that wait for a time; the
-- first by time. The definition is that of the run.
-- $1 business uuid, $2 workflow uuid, $3 until timestamptz or null (exclusive), $4 no_record uuid (the record of runs for a list),
-- $5 limit bigint
-- -> at timestamptz, kind text, workflow_id uuid, name text, version int, entity_type smallint, entity_id uuid or null,
-- run_id uuid or null, event_id bigint or null, event_at timestamptz or null, trigger text, conditions text
with found as materialized (
  (
\ir timer_rows.inc
   and w.guid = $2::uuid and t.shard = shard_of($1::uuid)
   order by t.check_at limit $5::bigint)
  union all
  (
\ir run_rows.inc
   and q.workflow_id = $2::uuid
   order by q.due_at, q.guid limit $5::bigint)
  union all
  (
\ir digest_rows.inc
   and d.workflow_id = $2::uuid
   order by d.due_at, d.guid limit $5::bigint)
  union all
  select 'schedule', s.workflow_id, null, null, null, null, null, s.next_at, true, null
  from workflows w
  join schedules s on s.business_id = w.business_id and s.workflow_id = w.guid and s.plan = w.timer_plan
  where w.business_id = $1::uuid and w.guid = $2::uuid and w.deleted_at is null and w.is_active and w.paused_at is null
    and was_on(w.business_id, w.guid, w.is_active, w.active_since, s.next_at)
),
\ir placed.inc
\ir shown.inc
