-- Returns the times to which floors can be raised: of each destination, the due time of the first run from its floor on, but
-- no later than a second ago, because a run is committed after its due time.
-- $1 destinations text[], $2 floors timestamptz[]
-- -> position bigint, floor timestamptz
select f.position,
       least((select q.due_at from run_queue q
              where q.destination = f.destination and q.status <> 'held' and q.due_at >= f.floor
                and q.due_at < statement_timestamp() - interval '1 second'
              order by q.due_at limit 1),
             greatest(f.floor, statement_timestamp() - interval '1 second')) as floor
from unnest($1::text[], $2::timestamptz[]) with ordinality f (destination, floor, position)
