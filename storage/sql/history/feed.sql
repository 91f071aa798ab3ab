-- Returns events of a business in the order of their ids: those after a position, and those before it that were
-- written by transactions still running when the feed passed their ids.
-- $1 business uuid, $2 position bigint, $3 writers text[] (transaction ids, as xid8),
-- $4 lows bigint[] (of each writer, the position from which its events are missing), $5 limit bigint
-- -> id bigint, business_id uuid, entity_type smallint, entity_id uuid, at timestamptz, cause text or null,
-- detail text or null, ...
select
\ir ../outbox/event.inc
from (
  select e.* from (
  (select p.id, p.at
   from unnest($3::text[], $4::bigint[]) w (writer, low),
        lateral (select p.id, p.at from events p  -- the limit keeps the scan within the writer's range
                 where p.business_id = $1::uuid and p.id > w.low and p.id <= $2::bigint and p.xid = w.writer::xid8
                 order by p.id limit $5::bigint) p
   order by p.id limit $5::bigint)
  union all
  (select p.id, p.at from events p where p.business_id = $1::uuid and p.id > $2::bigint order by p.id limit $5::bigint)
  order by id
  limit $5::bigint) page
  join events e on e.business_id = $1::uuid and e.id = page.id and e.at = page.at
  order by e.id
  offset 0) e  -- the rows are sorted before their records are read, so that a reader can stop at a number of bytes
order by e.id
