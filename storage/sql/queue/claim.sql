-- Takes due runs for the worker $1 until $2 from now: at most $3 of each destination, and of the destinations $4 (those
-- that are saturated or broken) none; $5 in all. Destinations are walked along the index, so that a long queue of one
-- costs the others nothing, and served in random order, so that none is always last. Changes of records by one event wait for
-- those of workflows that were made earlier.
with recursive destinations as (
  (select destination from run_queue where status <> 'held' order by destination limit 1)
  union all
  select (select q.destination from run_queue q where q.status <> 'held' and q.destination > d.destination
          order by q.destination limit 1)
  from destinations d where d.destination is not null
), due as (
  select q.business_id, q.guid
  from (select destination from destinations
        where destination is not null and destination <> all ($4::text[])
        order by random()) d,
       lateral (select q.business_id, q.guid from run_queue q
                where q.destination = d.destination and q.status <> 'held' and q.due_at <= clock_timestamp()
                  and (not q.ordered or not exists (
                    select from run_queue e
                    where e.business_id = q.business_id and e.entity_id = q.entity_id and e.workflow_id = q.workflow_id
                      and e.event_id < q.event_id and e.replay_of is null))
                  and (q.action <> 'update_status' or not exists (
                    select from run_queue e
                    join workflows w on w.business_id = q.business_id and w.guid = q.workflow_id
                    join workflows v on v.business_id = e.business_id and v.guid = e.workflow_id
                    where e.business_id = q.business_id and e.entity_id = q.entity_id and e.event_id = q.event_id
                      and e.action = 'update_status' and e.status in ('queued', 'running', 'retrying')
                      and e.replay_of is null and (v.created_at, v.guid) < (w.created_at, w.guid)))
                order by q.due_at limit $3::bigint for update skip locked) q
  limit $5::bigint
), taken as (
  select q.business_id, q.guid, q.status from run_queue q join due using (business_id, guid)
)
update run_queue q set status = 'running', lease_owner = $1::uuid, due_at = clock_timestamp() + $2::interval
from taken t
where q.business_id = t.business_id and q.guid = t.guid
returning q.business_id, q.guid, q.workflow_id, q.workflow_version, q.event_id, q.entity_type, q.entity_id, q.trigger_code,
          t.status as was, q.code, q.error, q.attempts, q.created_at, q.origin, q.replay_of, q.destination, q.request, q.tries, q.action, q.body,
          case when q.action = 'update_status' then (select e.cause::text from events e
                                                      where e.id = q.event_id and e.at >= guid_time(q.origin)
                                                        and e.at < guid_time(q.origin) + interval '1 millisecond') end as cause
