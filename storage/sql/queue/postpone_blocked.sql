-- Postpones runs that have been due for a second and wait for an earlier run, so that looks for due runs need not examine
-- them each time. The end of an earlier ordered run makes the next one due (unblocked.inc), unless that run was committed
-- after the statement of the end had begun: the first postponement is short because of these. The later ones serve ends
-- that are recorded otherwise, such as the end of a change of the record by another workflow. Of each destination, the first
-- thousand are examined. The runs of a business with few blocked ones stay due: looks have the time for them, and they go on
-- at once after any end. Returns the number of runs.
-- $1 limit bigint, $2 tolerated bigint (blocked runs of a business)
-- -> postponed bigint
\ir destinations.inc
, waiting as materialized (
  select q.business_id, q.guid, q.status, q.due_at, count(*) over (partition by q.business_id) as together
  from destinations d,
       lateral (select * from run_queue x
                where x.destination = d.destination and x.status <> 'held'
                  and x.due_at < statement_timestamp() - interval '1 second'
                order by x.due_at limit 1000) q
  where d.destination is not null and q.status in ('waiting', 'queued', 'retrying')
    and not (true
\ir may_go.inc
    )
), blocked as materialized (
  select business_id, guid, status, due_at from waiting where together > $2::bigint limit $1::bigint
), locked as materialized (
  -- A row that has changed meanwhile is left out: the earlier run may have made it due.
  select p.place, statement_timestamp() + case
           when p.postponed_until is null then interval '1 second'
           when p.ordered then least(greatest(interval '30 seconds', statement_timestamp() - p.created_at), interval '5 minutes')
           else interval '2 seconds' end as until
  from blocked b,
       lateral (select q.ctid as place, q.ordered, q.created_at, q.postponed_until from run_queue q
                where q.business_id = b.business_id and q.guid = b.guid and q.status = b.status and q.due_at = b.due_at
                for update skip locked) p
), postponed as (
  update run_queue q set due_at = l.until, postponed_until = l.until
  from locked l where q.ctid = l.place  -- valid, because this statement has locked the rows
  returning 1
)
select count(*) as postponed from postponed
