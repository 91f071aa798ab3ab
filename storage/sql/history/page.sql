-- Returns a page of events of a business and entity type after a given record and event, ordered by record
-- because the index finds a business's events that way. The rows are limited before their records are read, so
-- that a reader can stop at a number of bytes.
-- $1 business uuid, $2 entity_type smallint, $3 first_time timestamptz, $4 end_time timestamptz (exclusive),
-- $5 after_record uuid, $6 after_event bigint, $7 limit bigint
-- -> id bigint, business_id uuid, entity_type smallint, entity_id uuid, at timestamptz, cause text or null,
-- detail text or null, ...
select
\ir ../outbox/event.inc
from (
  select e.* from events e
  where e.business_id = $1::uuid and e.entity_type = $2::smallint and e.at >= $3::timestamptz and e.at < $4::timestamptz
    and (e.entity_id, e.id) > ($5::uuid, $6::bigint)
  order by e.entity_id, e.id
  limit $7::bigint) e
order by e.entity_id, e.id
