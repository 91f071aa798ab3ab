-- Releases shards of a worker and notifies the other workers.
-- $1 worker uuid, $2 shards smallint[]
with freed as (
  update shards set owner = null where owner = $1::uuid and shard = any ($2::smallint[])
)
select pg_notify('waybill_leases', '')
