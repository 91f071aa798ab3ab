-- Makes waiting and retrying runs of workflows deleted in the last hour due, at most `limit` in total and a tenth of that
-- for each workflow; they end as skipped. Returns the number of runs.
-- $1 limit bigint
-- -> ended bigint
with left_over as materialized (
  select l.place
  from (select business_id, guid from workflows where deleted_at > now() - interval '1 hour' order by random()) w
  cross join lateral (
    select q.ctid as place from run_queue q
    where q.business_id = w.business_id and q.workflow_id = w.guid and q.status in ('waiting', 'retrying') and q.due_at > now()
    limit greatest($1::bigint / 10, 1) for update skip locked
  ) l
  limit $1::bigint
), ended as (
  update run_queue q set status = pending_status(q.attempts, q.steps), due_at = q.created_at
  from left_over where q.ctid = left_over.place  -- all but the rows that another session has just written
  returning 1
)
select count(*) as ended from ended
