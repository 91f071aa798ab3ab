-- Gives back the shards $2 of the worker $1, and tells those who may take them.
with freed as (
  update shards set owner = null where owner = $1::uuid and shard = any ($2::smallint[])
)
select pg_notify('waybill_leases', '')
