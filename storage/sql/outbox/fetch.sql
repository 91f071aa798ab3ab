-- Returns events in no order, because a sort would hold all of them in memory. The range of times excludes
-- partitions of other days.
-- $1 event_ids bigint[], $2 earliest_time timestamptz, $3 latest_time timestamptz
select
\ir event.inc
from events e
where e.id = any ($1::bigint[]) and e.at between $2::timestamptz and $3::timestamptz
