-- The worker $1, called $2, enters with a first lease of $3; the others are told, for it has a right to its share.
-- This version renders runs that were queued without their texts.
with entered as (
  insert into workers (guid, name, renders_deferred) values ($1::uuid, $2, true) on conflict (guid) do nothing
), beat as (
  insert into worker_beats (worker, expires_at, matched_at)
  values ($1::uuid, clock_timestamp() + $3::interval, clock_timestamp())
)
select pg_notify('waybill_leases', '')
