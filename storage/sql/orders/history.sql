-- Returns an order's newest thousand status changes, oldest first, each preceded by its event id; one row with a null
-- event id if there are none. No row if the order does not exist.
-- runs: long
-- $1 business uuid, $2 order uuid
-- -> event_id bigint or null, ...
select h.event_id, h.status_from as "from", h.status_to as "to", h.at,
       coalesce(h.cause #>> '{by,type}', 'sql') as "by.type", h.cause #>> '{by,guid}' as "by.guid",
       h.cause #>> '{by,name}' as "by.name", h.cause ->> 'note' as notes
from orders r
left join lateral (
  select * from (
    select event_id, status_from, status_to, at, cause from status_history
    where business_id = $1 and entity_id = $2
    union all
    select id, (order_before).status, (order_after).status, at, cause from events
    where business_id = $1 and entity_id = $2 and entity_type = 0 and (order_after).guid is not null
      and (order_before).status is distinct from (order_after).status
  ) c
  order by event_id desc limit 1000
) h on true
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
order by h.event_id
