-- Returns a record's last events before an event, newest first, and whether each is still pending. The rows are
-- limited before their records are read, so that a reader can stop at a number of bytes.
-- $1 business uuid, $2 record uuid, $3 before bigint (the id of an event, exclusive), $4 limit bigint
-- -> pending boolean, ...
select exists (select from pending_events p
               where p.shard = shard_of(e.business_id) and p.id = e.id and p.business_id = e.business_id) as pending,
\ir ../outbox/event.inc
from (
  select e.* from events e
  where e.business_id = $1::uuid and e.entity_id = $2::uuid and e.id < $3::bigint
  order by e.id desc
  limit $4::bigint) e
order by e.id desc
