-- Returns runs that have been due for a second and wait for an earlier run, of businesses with more than a tolerated
-- number of them. Fewer are not postponed at first: looks for due runs have the time to examine them, and they start at once
-- when an earlier run ends. An ordered run is also returned if it has been due for ten seconds: the floor of its destination
-- cannot rise above it. Of each destination, the first thousand are examined, or more if there are few destinations.
-- $1 floor_destinations text[], $2 floors timestamptz[], $3 tolerated bigint (blocked runs of a business)
-- -> business_id uuid, guid uuid, due_at timestamptz
with recursive floors as (
  select * from unnest($1::text[], $2::timestamptz[]) f (destination, due_from)
),
\ir destinations.inc
, waiting as materialized (
  select q.business_id, q.guid, q.due_at, q.ordered, count(*) over (partition by q.business_id) as together
  from destinations d,
       lateral (select * from run_queue x
                where x.destination = d.destination and x.status <> 'held' and x.due_at >= d.due_from
                  and x.due_at < statement_timestamp() - interval '1 second'
                order by x.due_at limit (select greatest(1000, 10000 / count(destination)) from destinations)) q,
\ir may_go.inc
  where d.destination is not null and q.status in ('waiting', 'queued', 'retrying') and not rule.may_go
)
select business_id, guid, due_at from waiting
where together > $3::bigint or (ordered and due_at < statement_timestamp() - interval '10 seconds')
