-- Makes the runs due that wait for the window of a workflow: they then wait for the new one. The limit is far above what
-- usually waits; a run beyond it waits for the old window first.
-- $1 business uuid, $2 workflow uuid, $3 limit bigint
with waiting as materialized (
  select q.guid from run_queue q
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.code = 'WINDOW' and q.status in ('waiting', 'retrying')
  order by q.guid limit $3::bigint for update skip locked
), woken as (
  update run_queue q set due_at = now() from waiting w
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.guid = w.guid
)
select pg_notify('waybill_queue', '')
