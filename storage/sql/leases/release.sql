-- Releases shards of a worker and notifies the other workers.
-- $1 worker, $2 shards
with freed as (
  update shards set owner = null where owner = $1::uuid and shard = any ($2::smallint[])
)
select pg_notify('waybill_leases', '')
