-- Postpones blocked runs, so that looks for due runs need not examine them each time. A run that has changed since it was
-- found is left out: the end of the earlier run makes the next one due (unblock.sql). The first postponement is short,
-- because a run that was committed after the statement of that end had begun is not made due by it. Later ones are for ends
-- that make no run due, such as the end of a change of the record by another workflow. Returns the number of postponed
-- runs.
-- $1 businesses uuid[], $2 guids uuid[], $3 due_times timestamptz[]
-- -> postponed bigint
with blocked as (
  select business_id, guid, due_at from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) b (business_id, guid, due_at)
), locked as materialized (
  select p.place, statement_timestamp() + case
           when p.postponed_until is null then interval '1 second'
           when p.ordered then least(greatest(interval '30 seconds', statement_timestamp() - p.created_at), interval '5 minutes')
           else interval '2 seconds' end as until
  from blocked b,
       lateral (select q.ctid as place, q.ordered, q.created_at, q.postponed_until from run_queue q
                where q.business_id = b.business_id and q.guid = b.guid and q.due_at = b.due_at
                  and q.status in ('waiting', 'queued', 'retrying')
                for update skip locked) p
), postponed as (
  update run_queue q set due_at = l.until, postponed_until = l.until
  from locked l where q.ctid = l.place  -- all but the rows that another session has just written
  returning 1
)
select count(*) as postponed from postponed
