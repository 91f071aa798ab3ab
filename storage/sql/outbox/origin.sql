-- The event $1, which the run $2 began with, whose guid tells when.
select
\ir event.inc
from events e
where e.id = $1::bigint and e.at >= guid_time($2::uuid) and e.at < guid_time($2::uuid) + interval '1 millisecond'
