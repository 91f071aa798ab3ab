-- Queues a new run for each finished run of a workflow, or of all workflows, whose event is in a period, in
-- the same order, without runs that are replays themselves, runs of deleted workflows and runs whose answers were
-- erased. A run of several
-- steps is repeated from the first that failed or has not ended. Returns the number of such runs, and whether
-- the business has room for them; nothing is queued if not, or if they exceed the maximum. No row if the
-- workflow does not exist.
-- $1 business uuid, $2 workflow uuid or null (all), $3 from timestamptz or null,
-- $4 end timestamptz or null (exclusive), $5 status text or null, $6 max_runs bigint,
-- $7 max_open bigint (open runs of the business, with these), $8 changing_actions text[] (the actions that change a record),
-- $9 after uuid or null (the last run of the portion before), $10 is_portion boolean (the maximum ends the portion)
-- -> runs bigint, has_room boolean, last uuid or null, ...
with wanted as (
  select business_id, guid, ordered from workflows
  where business_id = $1::uuid and ($2::uuid is null or guid = $2::uuid) and deleted_at is null
), origins as materialized (
  select r.guid, r.created_at, w.ordered, row_number() over (order by r.guid) as number
  from wanted w
  join runs r on r.business_id = w.business_id and r.workflow_id = w.guid
  where
\ir replayable.inc
    and ($9::uuid is null or r.guid > $9::uuid)
  order by r.guid
  limit $6::bigint + case when $10::boolean then 0 else 1 end
), counted as materialized (
  select c.runs, c.runs + o.runs <= $7::bigint as has_room
  from (select count(*) as runs from origins) c,
       (select count(*) as runs from (select from run_queue where business_id = $1::uuid limit $7::bigint) q) o
), queued as (
  insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code,
                         action, changing_action, status, created_at, due_at, origin, replay_of, destination, request, body,
                         ordered, steps, watch_after)
  select r.business_id, n.guid, r.workflow_id, r.workflow_version, r.event_id, r.entity_type, r.entity_id, r.trigger_code,
         n.action, case when n.action = any ($8::text[]) then n.action end, 'queued', now(),
         now() + o.number * interval '1 microsecond', r.origin, r.guid,
         case when s.type is null then r.destination else step_destination(r.business_id, n.guid) end,
         case when s.type is null then r.request else 'null' end, case when s.type is null then r.body end, o.ordered,
         case when s.type is not null then steps_from(r.steps, s.first, s.type) end,
         case when exists (select from workflow_versions v
                           where v.business_id = r.business_id and v.workflow_id = r.workflow_id
                             and v.version = r.workflow_version and v.definition ->> 'trigger' like '5:%')
              then last_event(r.business_id, r.entity_id) end
  from origins o
  join runs r on r.business_id = $1::uuid and r.guid = o.guid and r.created_at = o.created_at
  left join lateral (  -- runs of several steps
    select f.first, flat_steps(coalesce(v.definition -> 'action' -> 'steps', w.action -> 'steps')) -> (f.first - 1) ->> 'type' as type
    from (select first_open_step(r.action, r.status, r.code, r.steps) as first) f
    join workflows w on w.business_id = r.business_id and w.guid = r.workflow_id
    left join workflow_versions v on v.business_id = r.business_id and v.workflow_id = r.workflow_id
                                     and v.version = r.workflow_version
    where r.steps is not null) s on true
  cross join lateral (select timed_guid(clock_timestamp()) as guid, coalesce(s.type, r.action) as action) n
  where (select c.runs <= $6::bigint and c.has_room from counted c)
  returning business_id, guid, action, steps, replay_of
),
\ir replayed_addresses.inc
select c.runs, c.has_room, (select o.guid from origins o order by o.guid desc limit 1) as last, pg_notify('waybill_queue', '') from counted c where $2::uuid is null or exists (select from wanted)
