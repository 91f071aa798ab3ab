-- Returns the first run of each destination that is below the floor.
-- $1 destinations text[], $2 floors timestamptz[]
-- -> destination text, due_at timestamptz
select f.destination, q.due_at
from unnest($1::text[], $2::timestamptz[]) f (destination, floor),
     lateral (select r.due_at from run_queue r
              where r.destination = f.destination and r.status <> 'held' and r.due_at < f.floor
              order by r.due_at limit 1) q
