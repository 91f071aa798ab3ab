-- Ends an open run as skipped and counts it. Returns whether it was open. The outcome of an attempt in flight
-- is lost, because its worker no longer holds the run.
-- $1 business uuid, $2 run uuid
-- -> is_cancelled boolean, ...
with gone as (
  delete from run_queue where business_id = $1::uuid and guid = $2::uuid
  returning *, 'CANCELLED' as end_code, 'The run was cancelled.' as end_error
),
\ir ../queue/end_skipped.inc
select exists (select from gone) as is_cancelled, pg_notify('waybill_queue', '')
