-- Returns the next ticks of the schedules of an entity type, the first by time.
-- $1 business uuid, $2 entity_type smallint, $3 until timestamptz or null (exclusive), $4 no_record uuid (the record of runs for a
-- list), $5 limit bigint
-- -> at timestamptz, kind text, workflow_id uuid, name text, version int, entity_type smallint, entity_id uuid or null,
-- run_id uuid or null, event_id bigint or null, event_at timestamptz or null, trigger text, conditions text
with found as materialized (
  select 'schedule' as kind, s.workflow_id, null::integer as version, null::uuid as entity_id, null::uuid as run_id,
         null::bigint as event_id, null::timestamptz as event_at, s.next_at as due_at, true as is_new, null::text as next_type
  from workflows w
  join schedules s on s.business_id = w.business_id and s.workflow_id = w.guid and s.plan = w.timer_plan
  where w.business_id = $1::uuid and w.entity_type = $2::smallint and w.deleted_at is null and w.is_active and w.paused_at is null
    and was_on(w.business_id, w.guid, w.is_active, w.active_since, s.next_at)
),
\ir placed.inc
\ir shown.inc
