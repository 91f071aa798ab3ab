-- Returns a page of events of a business and entity type after a given record and event, ordered by record
-- because the index finds a business's events that way.
-- $1 business, $2 entity type, $3 first time, $4 end (exclusive), $5 last record of the previous page,
-- $6 its last event id, $7 limit
select
\ir ../outbox/event.inc
from events e
where e.business_id = $1::uuid and e.entity_type = $2::smallint and e.at >= $3::timestamptz and e.at < $4::timestamptz
  and (e.entity_id, e.id) > ($5::uuid, $6::bigint)
order by e.entity_id, e.id
limit $7::bigint
