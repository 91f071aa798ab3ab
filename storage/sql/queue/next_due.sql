-- Returns when to look for due runs next: now if one of the first thousand of a destination may go, otherwise
-- when the next one becomes due. Runs of blocked destinations and businesses are left out.
-- $1 blocked_destinations text[], $2 blocked_businesses text[] (a destination ends with its business's guid)
-- -> due_at timestamptz or null
\ir destinations.inc
select min(coalesce(
  (select q.due_at
   from (select * from run_queue x
         where x.destination = d.destination and x.status <> 'held' and x.due_at <= statement_timestamp()
         order by x.due_at limit 1000) q
   where true
\ir may_go.inc
   limit 1),
  (select x.due_at from run_queue x
   where x.destination = d.destination and x.status <> 'held' and x.due_at > statement_timestamp()
   order by x.due_at limit 1))) as due_at
from destinations d
where d.destination is not null and d.destination <> all ($1::text[]) and right(d.destination, 36) <> all ($2::text[])
