-- Queues a new run for each finished run of a workflow, or of all workflows, whose event is in a period, in
-- the same order, without runs that are replays themselves and runs of deleted workflows. A run of several
-- steps is repeated from the first that failed or has not ended. Returns the number
-- of such runs; nothing is queued if they exceed the maximum. No row if the workflow does not exist.
-- $1 business uuid, $2 workflow uuid or null (all), $3 from timestamptz or null,
-- $4 end timestamptz or null (exclusive), $5 status text or null, $6 max_runs bigint
-- -> runs bigint, ...
with wanted as (
  select business_id, guid, ordered from workflows
  where business_id = $1::uuid and ($2::uuid is null or guid = $2::uuid) and deleted_at is null
), origins as materialized (
  select r.*, w.ordered, row_number() over (order by r.guid) as number
  from wanted w
  join runs r on r.business_id = w.business_id and r.workflow_id = w.guid
  where r.business_id = $1::uuid and r.created_at >= coalesce($3::timestamptz, '-infinity')
    and r.created_at < coalesce($4::timestamptz, 'infinity')
    and ($5::text is null or r.status = $5) and r.replay_of is null
  order by r.guid
  limit $6::bigint + 1
), counted as (
  select count(*) as runs from origins
), queued as (
  insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code,
                         action, status, created_at, due_at, origin, replay_of, destination, request, body, ordered, steps)
  select o.business_id, timed_guid(clock_timestamp()), o.workflow_id, o.workflow_version, o.event_id, o.entity_type,
         o.entity_id, o.trigger_code, coalesce(s.type, o.action), 'queued', now(), now() + o.number * interval '1 microsecond',
         o.origin, o.guid, case when s.type is null then o.destination else 'steps/' || o.business_id end,
         case when s.type is null then o.request else 'null' end, case when s.type is null then o.body end, o.ordered,
         case when s.type is not null then steps_from(o.steps, s.first, s.type) end
  from origins o
  left join lateral (  -- runs of several steps
    select f.first, coalesce(v.definition -> 'action' -> 'steps', w.action -> 'steps') -> (f.first - 1) ->> 'type' as type
    from (select first_open_step(o.action, o.status, o.code, o.steps) as first) f
    join workflows w on w.business_id = o.business_id and w.guid = o.workflow_id
    left join workflow_versions v on v.business_id = o.business_id and v.workflow_id = o.workflow_id
                                     and v.version = o.workflow_version
    where o.steps is not null) s on true,
  counted c where c.runs <= $6::bigint
)
select c.runs, pg_notify('waybill_queue', '') from counted c where $2::uuid is null or exists (select from wanted)
