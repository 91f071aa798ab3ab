-- Deletes a worker and workers without a lease for a day, frees the worker's shards and notifies the other
-- workers.
-- $1 worker uuid
with gone as (
  delete from workers where guid = $1::uuid or lease_end(guid) < clock_timestamp() - interval '1 day'
), freed as (
  update shards set owner = null where owner = $1::uuid
)
select pg_notify('waybill_leases', '')
