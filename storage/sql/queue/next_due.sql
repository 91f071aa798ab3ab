-- When the next run is due, leaving out the destinations $1 and the businesses $2, whose guid a destination ends with.
\ir destinations.inc
select min((select q.due_at from run_queue q where q.destination = d.destination and q.status <> 'held'
\ir may_go.inc
            order by q.due_at limit 1))
from destinations d
where d.destination is not null and d.destination <> all ($1::text[]) and right(d.destination, 36) <> all ($2::text[])
