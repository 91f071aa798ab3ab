-- Returns a run with its request, its steps and its attempts, the origin of its event, and the first events that its changes
-- made. The cause is null if the event is no longer stored. SQL can write any cause, so its values are checked.
-- $1 business uuid, $2 run uuid, $3 no_record uuid
select r.guid, r.workflow_id as "workflowId", r.workflow_version as "workflowVersion", case when r.event_id >= 0 then r.event_id end as "eventId",
       (array['Order', 'Shipment', 'Customer', 'Product'])[r.entity_type + 1] as "entityType", nullif(r.entity_id, $3::uuid) as "entityId",
       r.trigger_code as trigger, r.status, r.code, r.error, r.attempts, r.created_at as "createdAt",
       -- The time of the next attempt of a postponed run is unknown.
       nullif(r.next_attempt_at, (select q.postponed_until from run_queue q
                                  where q.business_id = $1::uuid and q.guid = r.guid)) as "nextAttemptAt",
       r.finished_at as "finishedAt", r.replay_of as "replayOf",
       failed_steps(r.status, r.steps) as "failedSteps",
       case when r.request <> 'null' then shown_request($1::uuid, r.action, r.request::json, r.body) end as request,  -- null if not rendered
       shown_steps(r.action, r.status, r.code, r.error, r.finished_at, r.tries, r.steps) as steps,
       shown_tries(r.tries) as tries,
       c.type as "cause.type", c.guid as "cause.guid", c.name as "cause.name", c.event_id as "cause.eventId",
       (select coalesce(json_agg(json_build_object(
                 'eventId', e.id, 'entityType', (array['Order', 'Shipment', 'Customer', 'Product'])[e.entity_type + 1],
                 'entityId', e.entity_id) order by e.id), '[]')
        from (select id, entity_type, entity_id from events
              where business_id = $1::uuid and cause ? 'run' and left(cause ->> 'run', 36) = r.guid::text
                -- The partitions before the run; the clocks of two servers can differ.
                and at >= r.created_at - interval '1 day'
              order by id limit 100) e) as effects
from all_runs r
left join lateral (
  select 'replay' as type, r.replay_of as guid, null::text as name, case when r.event_id >= 0 then r.event_id end as event_id
  where r.replay_of is not null
  union all
  select r.trigger_code, null, null, null where r.replay_of is null and r.event_id < 0
  union all
  select case when t.type = 'workflow' then 'run' when t.type in ('token', 'user', 'operator', 'system', 'import') then t.type else 'sql' end,
         substring(case when t.type = 'workflow' then e.cause ->> 'run' else e.cause #>> '{by,guid}' end
                   from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid,
         case when t.type in ('token', 'user', 'import') then left(e.cause #>> '{by,name}', 200) end,
         e.id
  from events e, lateral (select e.cause #>> '{by,type}' as type) t
  where r.replay_of is null and r.event_id >= 0 and e.business_id = $1::uuid and e.id = r.event_id
    and e.at >= guid_time(r.origin) and e.at < guid_time(r.origin) + interval '1 millisecond'
) c on true
where r.business_id = $1::uuid and r.guid = $2::uuid
