-- Returns events in no order, because a sort would hold all of them in memory. The range of times excludes
-- partitions of other days.
-- $1 event ids, $2 earliest time, $3 latest time
select
\ir event.inc
from events e
where e.id = any ($1::bigint[]) and e.at between $2::timestamptz and $3::timestamptz
