-- Who and what caused the events $2, which the runs $3 began with, whose guids tell when; by the positions $1.
select w.position, e.cause::text
from unnest($1::bigint[], $2::bigint[], $3::uuid[]) w (position, id, origin)
join lateral (select e.cause from events e
              where e.id = w.id and e.at >= guid_time(w.origin) and e.at < guid_time(w.origin) + interval '1 millisecond') e on true
