-- Returns the causes of events by position. A run's guid contains the time of its event.
-- $1 positions, $2 event ids, $3 runs that the events started
select w.position, e.cause::text
from unnest($1::bigint[], $2::bigint[], $3::uuid[]) w (position, id, origin)
join lateral (select e.cause from events e
              where e.id = w.id and e.at >= guid_time(w.origin) and e.at < guid_time(w.origin) + interval '1 millisecond') e on true
