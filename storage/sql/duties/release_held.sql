-- Queues held runs of workflows that are deleted or not paused, unless their business is suspended: the runs that a resumed
-- workflow has beyond the first, and those that are held while their workflow or business is being resumed. Workflows with
-- held runs are found by walking the index. Each workflow gives at most a tenth of `limit`. Businesses take turns: one
-- workflow of each business precedes the second workflow of any. Returns the number of runs.
-- $1 limit bigint
-- -> released bigint
with recursive held (business_id, workflow_id) as (
  (select business_id, workflow_id from run_queue where status = 'held' order by business_id, workflow_id limit 1)
  union all
  select next.business_id, next.workflow_id
  from held h
  cross join lateral (select q.business_id, q.workflow_id from run_queue q
                      where q.status = 'held' and (q.business_id, q.workflow_id) > (h.business_id, h.workflow_id)
                      order by q.business_id, q.workflow_id limit 1) next
), resumed as materialized (
  select l.place
  from (select h.business_id, h.workflow_id
        from held h
        join workflows w on w.business_id = h.business_id and w.guid = h.workflow_id
             and (w.paused_reason is null or w.deleted_at is not null)
        join businesses b on b.guid = h.business_id and b.suspended_at is null
        order by row_number() over (partition by h.business_id order by random()), random()) h
  cross join lateral (select q.ctid as place from run_queue q
                      where q.business_id = h.business_id and q.workflow_id = h.workflow_id and q.status = 'held'
                      order by q.guid limit greatest($1::bigint / 10, 1) for update skip locked) l
  limit $1::bigint
), released as (
  update run_queue q set status = pending_status(q.attempts, q.steps), due_at = q.created_at
  from resumed r where q.ctid = r.place  -- all but the rows that another session has just written
  returning 1
)
select count(*) as released from released
