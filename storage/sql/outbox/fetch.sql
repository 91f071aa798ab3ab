-- Returns events in no order, because a sort would hold all of them in memory. The range of times excludes
-- partitions of other days.
-- $1 events bigint[], $2 first_time timestamptz, $3 last_time timestamptz
-- -> id bigint, business_id uuid, entity_type smallint, entity_id uuid, at timestamptz, cause text or null,
-- detail text or null, ...
select
\ir event.inc
from events e
where e.id = any ($1::bigint[]) and e.at between $2::timestamptz and $3::timestamptz
