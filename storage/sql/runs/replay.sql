-- Queues a new run that repeats the request of a run under the same webhook-id. A run of several steps is
-- repeated from a step on. Returns whether the workflow still exists, the number of steps, whether the step is in
-- a way that no choice of the run took, and whether it or a later one uses an answer that was erased; nothing is
-- queued without a workflow, without such a step, or in the last two cases. No row if the run does not exist.
-- $1 business uuid, $2 run uuid, $3 new_run uuid, $4 from_step int or null (the first that failed or has not ended),
-- $5 changing_actions text[] (the actions that change a record)
-- -> has_workflow boolean, step_count int, is_not_taken boolean, uses_erased boolean, ...
with found as (
  select r.*, w.guid is not null as has_workflow, w.ordered,
         v.definition ->> 'trigger' like '5:%' as is_watching,
         coalesce(v.definition -> 'action' -> 'steps', case when r.steps is not null then w.action -> 'steps' end) as definition,
         coalesce($4::integer, first_open_step(r.action, r.status, r.code, r.steps)) as first_step
  from all_runs r
  left join workflows w on w.business_id = r.business_id and w.guid = r.workflow_id and w.deleted_at is null
  left join workflow_versions v on v.business_id = r.business_id and v.workflow_id = r.workflow_id and v.version = r.workflow_version
  where r.business_id = $1::uuid and r.guid = $2::uuid
  limit 1
), origin as (
  select f.*, coalesce(jsonb_array_length(t.flat), 1) as step_count,
         t.first_type, coalesce(t.first_type, f.action) as next_action,
         not coalesce(has_reached(f.steps, f.definition, f.first_step), true) as is_not_taken,
         coalesce(uses_answer(f.steps, f.first_step, true), false) as uses_erased
  from found f, lateral (
    select d.flat, d.flat -> (f.first_step - 1) ->> 'type' as first_type from (select flat_steps(f.definition) as flat) d) t
), queued as (
  insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code,
                         action, changing_action, status, created_at, due_at, origin, replay_of, destination, request, body,
                         ordered, steps, watch_after)
  select business_id, $3::uuid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code,
         next_action, case when next_action = any ($5::text[]) then next_action end, 'queued', now(), now(), origin, guid,
         case when first_type is null then destination else step_destination(business_id, $3::uuid) end,
         case when first_type is null then request else 'null' end, case when first_type is null then body end, ordered,
         case when first_type is not null then steps_from(steps, first_step, first_type) end,
         case when is_watching then last_event(business_id, entity_id) end
  from origin where has_workflow and first_step <= step_count and not is_not_taken and not uses_erased
  returning business_id, guid, action, steps, replay_of
),
\ir replayed_addresses.inc
select has_workflow, step_count, is_not_taken, uses_erased, pg_notify('waybill_queue', '') from origin
