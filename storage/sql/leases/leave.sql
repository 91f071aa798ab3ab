-- The worker $1 stops: its shards are free and the others are told. With it goes who was not seen for a day.
with gone as (
  delete from workers where guid = $1::uuid or lease_end(guid) < clock_timestamp() - interval '1 day'
), freed as (
  update shards set owner = null where owner = $1::uuid
)
select pg_notify('waybill_leases', '')
