-- Returns when the first run that may go became due, or when the next one becomes due if that is soon. Runs of blocked
-- destinations and businesses are left out. Of each destination, the first thousand are examined, as in claim.sql.
-- $1 floor_destinations text[], $2 floors timestamptz[], $3 blocked_destinations text[],
-- $4 blocked_businesses text[] (a destination ends with its business's guid), $5 within interval (the farthest time)
-- -> due_at timestamptz or null
with recursive floors as (
  select * from unnest($1::text[], $2::timestamptz[]) f (destination, due_from)
),
\ir destinations.inc
select min((select q.due_at
            from (select * from run_queue x
                  where x.destination = d.destination and x.status <> 'held' and x.due_at >= d.due_from
                    and x.due_at < statement_timestamp() + $5::interval
                  order by x.due_at limit 1000) q,
\ir may_go.inc
            where q.due_at > statement_timestamp() or rule.may_go
            order by q.due_at limit 1)) as due_at
from destinations d
where d.destination is not null and d.destination <> all ($3::text[]) and right(d.destination, 36) <> all ($4::text[])
