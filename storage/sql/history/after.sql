-- Returns the first events of a record after an event, in their order.
-- $1 business uuid, $2 record uuid, $3 after bigint (the id of an event, exclusive), $4 limit bigint
select
\ir ../outbox/event.inc
from (
  select e.* from events e
  where e.business_id = $1::uuid and e.entity_id = $2::uuid and e.id > $3::bigint
  order by e.id
  limit $4::bigint) e
order by e.id
