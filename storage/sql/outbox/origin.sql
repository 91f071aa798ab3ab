-- Returns the event that started a run; the run's guid contains the event's time.
-- $1 event bigint, $2 run uuid
-- -> id bigint, business_id uuid, entity_type smallint, entity_id uuid, at timestamptz, cause text or null,
-- detail text or null, ...
select
\ir event.inc
from events e
where e.id = $1::bigint and e.at >= guid_time($2::uuid) and e.at < guid_time($2::uuid) + interval '1 millisecond'
