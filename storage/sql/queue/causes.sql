-- Returns the causes of events by position. A run's guid contains the time of its event.
-- $1 positions bigint[], $2 events bigint[], $3 origins uuid[] (runs that the events started)
-- -> position bigint, cause text or null
select w.position, e.cause::text
from unnest($1::bigint[], $2::bigint[], $3::uuid[]) w (position, id, origin)
join lateral (select e.cause from events e
              where e.id = w.id and e.at >= guid_time(w.origin) and e.at < guid_time(w.origin) + interval '1 millisecond') e on true
