-- Returns the status changes of records, oldest first, also those whose events are not stored any more.
-- $1 business uuid, $2 records uuid[]
select h.entity_id as "entityId", h.status_from as "from", h.status_to as "to", h.at,
       coalesce(h.cause #>> '{by,type}', 'sql') as "by.type", h.cause #>> '{by,guid}' as "by.guid",
       h.cause #>> '{by,name}' as "by.name", h.cause ->> 'note' as notes
from (select s.entity_id, s.event_id, s.status_from, s.status_to, s.at, s.cause from status_history s
      where s.business_id = $1 and s.entity_id = any ($2::uuid[])
      union all
      select s.entity_id, s.event_id, s.status_from, s.status_to, s.at, s.cause
      from events e cross join lateral status_changes(e) s
      where e.business_id = $1 and e.entity_id = any ($2::uuid[])) h
order by h.event_id
