-- Makes the runs due that wait for the window of a workflow: they then wait for the new one. The limit is far above what
-- usually waits; a run beyond it may wait for the old window first. Runs that another session has locked are left to
-- wake_left.sql. Returns true if there are such runs.
-- $1 business uuid, $2 workflow uuid, $3 limit bigint
-- -> has_left boolean, ...
with waiting as materialized (
  select q.guid from run_queue q
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.code = 'WINDOW' and q.status in ('waiting', 'retrying')
  order by q.guid limit $3::bigint for update skip locked
), woken as (
  update run_queue q set due_at = now() from waiting w
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.guid = w.guid
)
select exists (select from run_queue q
               where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.code = 'WINDOW'
                 and q.status in ('waiting', 'retrying') and q.guid not in (select w.guid from waiting w)) as has_left,
       pg_notify('waybill_queue', '')
