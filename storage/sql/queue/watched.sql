-- Returns the versions of workflows whose open runs watch some records, and the steps in which they wait, each once, by
-- walking the index.
-- $1 businesses uuid[], $2 records uuid[]
-- -> business_id uuid, entity_id uuid, workflow_id uuid, version int, step int (0: the runs wait for no event)
with recursive found as (
  select f.*
  from (select distinct business_id, entity_id from unnest($1::uuid[], $2::uuid[]) r (business_id, entity_id)) r,
       lateral (select q.business_id, q.entity_id, q.workflow_id, q.workflow_version, q.watched_step from run_queue q
                where q.business_id = r.business_id and q.entity_id = r.entity_id and q.watch_after is not null
                order by q.workflow_id, q.workflow_version, q.watched_step
                limit 1) f
  union all
  select n.*
  from found f,
       lateral (select q.business_id, q.entity_id, q.workflow_id, q.workflow_version, q.watched_step from run_queue q
                where q.business_id = f.business_id and q.entity_id = f.entity_id and q.watch_after is not null
                  and (q.workflow_id, q.workflow_version, q.watched_step) > (f.workflow_id, f.workflow_version, f.watched_step)
                order by q.workflow_id, q.workflow_version, q.watched_step
                limit 1) n
)
select business_id, entity_id, workflow_id, workflow_version as version, watched_step::integer as step from found
