-- Returns the latest events of a business and entity type in a time, newest first, among the latest events of all types. The
-- rows are limited before their records are read, so that a reader can stop at a number of bytes.
-- $1 business uuid, $2 entity_type smallint, $3 first_time timestamptz, $4 end_time timestamptz (exclusive),
-- $5 limit bigint, $6 most_read bigint (events of all types)
-- -> id bigint, business_id uuid, entity_type smallint, entity_id uuid, at timestamptz, cause text or null,
-- detail text or null, ...
select
\ir ../outbox/event.inc
from (
  select l.id, l.at from (
    select p.id, p.at, p.entity_type from events p
    where p.business_id = $1::uuid and p.at >= $3::timestamptz and p.at < $4::timestamptz
    order by p.id desc limit $6::bigint) l
  where l.entity_type = $2::smallint
  order by l.id desc
  limit $5::bigint) page
  join events e on e.business_id = $1::uuid and e.id = page.id and e.at = page.at
order by e.id desc
