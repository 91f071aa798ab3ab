-- Registers a worker and its session with its first lease and notifies the other workers, which then release a share of their
-- shards. This version renders runs that were queued without their texts.
-- $1 worker uuid, $2 name text, $3 lease interval
with entered as (
  insert into workers (guid, name, renders_deferred, session_pid, session_start)
  values ($1::uuid, $2, true, pg_backend_pid(), own_session_start())
  on conflict (guid) do update set session_pid = excluded.session_pid, session_start = excluded.session_start
), renewal as (
  insert into worker_beats (worker, expires_at, matched_at)
  values ($1::uuid, clock_timestamp() + $3::interval, clock_timestamp())
)
select pg_notify('waybill_leases', '')
