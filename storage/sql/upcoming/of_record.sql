-- Returns what comes next for a record: its timers, its queued runs that wait for a time, and the open digests that have collected an
-- event of it; the first by time. The definition is that of the run.
-- $1 business uuid, $2 record uuid, $3 until timestamptz or null (exclusive), $4 no_record uuid (the record of runs for a list),
-- $5 limit bigint
-- -> at timestamptz, kind text, workflow_id uuid, name text, version int, entity_type smallint, entity_id uuid or null,
-- run_id uuid or null, event_id bigint or null, event_at timestamptz or null, trigger text, conditions text
with found as materialized (
  (
\ir timer_rows.inc
   and w.timer_plan is not null and t.entity_id = $2::uuid
   order by t.due_at limit $5::bigint)
  union all
  (
\ir run_rows.inc
   and q.entity_id = $2::uuid
   order by q.due_at, q.guid limit $5::bigint)
  union all
  (
\ir digest_rows.inc
   and exists (select from digest_items i
               where i.business_id = d.business_id and i.digest_id = d.guid and i.entity_id = $2::uuid)
   order by d.due_at, d.guid limit $5::bigint)
),
\ir placed.inc
\ir shown.inc
