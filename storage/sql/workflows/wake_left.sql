-- Makes the runs due that wait for the window of a workflow and that another session had locked when it was changed
-- (wake_waiting.sql). Waits for these sessions, and so comes after the change.
-- $1 business uuid, $2 workflow uuid, $3 limit bigint
with waiting as materialized (
  select q.guid from run_queue q
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.code = 'WINDOW' and q.status in ('waiting', 'retrying')
    and q.due_at > now()
  order by q.guid limit $3::bigint for update
), woken as (
  update run_queue q set due_at = now() from waiting w
  where q.business_id = $1::uuid and q.workflow_id = $2::uuid and q.guid = w.guid
)
select pg_notify('waybill_queue', '')
