-- Returns the events of a business before a position, the latest first. The rows are sorted before their records are
-- read, so that a reader can stop at a number of bytes.
-- $1 business uuid, $2 position bigint (exclusive), $3 limit bigint
-- -> id bigint, business_id uuid, entity_type smallint, entity_id uuid, at timestamptz, cause text or null,
-- detail text or null, ...
select
\ir ../outbox/event.inc
from (
  select e.* from (
    select p.id, p.at from events p where p.business_id = $1::uuid and p.id < $2::bigint
    order by p.id desc limit $3::bigint) page
  join events e on e.business_id = $1::uuid and e.id = page.id and e.at = page.at
  order by e.id desc
  offset 0) e
order by e.id desc
