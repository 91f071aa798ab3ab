-- Returns how many runs the queue has for each place that has any, up to $3: those that wait for an attempt, also delayed ones,
-- without those that are performed or held. The name of a place ends with its business, so that the index alone is read.
-- runs: long
-- $1 business uuid, $2 places text[] (run_queue.destination, each ends with the business), $3 most bigint
-- -> place bigint (its position in $2, from 0), runs bigint
select p.position - 1 as place, w.runs
from unnest($2::text[]) with ordinality p (name, position)
cross join lateral (
  select count(*) as runs
  from (select from run_queue q
        where q.destination = p.name and q.status <> 'held' and q.status <> 'running' limit $3::bigint) counted
) w
where p.name like '%' || $1::uuid and w.runs > 0
