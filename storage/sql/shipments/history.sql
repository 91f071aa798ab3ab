-- Returns a shipment's newest thousand status changes, oldest first, each preceded by its event id; one row with a null
-- event id if there are none. The notes of a scan that came with others are its description, as long as the event exists. No row
-- if the shipment does not exist.
-- runs: long
-- $1 business uuid, $2 shipment uuid
-- -> event_id bigint or null, ...
select h.event_id, h.status_from as "from", h.status_to as "to", h.at,
       coalesce(h.cause #>> '{by,type}', 'sql') as "by.type", h.cause #>> '{by,guid}' as "by.guid",
       h.cause #>> '{by,name}' as "by.name", coalesce(h.cause ->> 'note', h.described) as notes
from shipments r
left join lateral (
  select * from (
    select event_id, status_from, status_to, at, cause, null::text as described from status_history
    where business_id = $1 and entity_id = $2
    union all
    select id, (shipment_before).status, (shipment_after).status, at, cause,
           nullif(detail #>> '{trace,description}', status_text((shipment_after).status))
    from events
    where business_id = $1 and entity_id = $2 and entity_type = 1 and (shipment_after).guid is not null
      and (shipment_before).status is distinct from (shipment_after).status
  ) c
  order by event_id desc limit 1000
) h on true
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
order by h.event_id
