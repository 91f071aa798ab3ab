-- When the next run is due, leaving out the destinations $1.
with recursive destinations as (
  (select destination from run_queue where status <> 'held' order by destination limit 1)
  union all
  select (select q.destination from run_queue q where q.status <> 'held' and q.destination > d.destination
          order by q.destination limit 1)
  from destinations d where d.destination is not null
)
select min((select q.due_at from run_queue q where q.destination = d.destination and q.status <> 'held'
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
            order by q.due_at limit 1))
from destinations d where d.destination is not null and d.destination <> all ($1::text[])
