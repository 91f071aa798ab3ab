-- $1 event ids, $2 and $3 the earliest and latest time among them, which leaves out the other days' partitions. In no
-- order: a sort would hold all of them at once.
select
\ir event.inc
from events e
where e.id = any ($1::bigint[]) and e.at between $2::timestamptz and $3::timestamptz
