-- Renews a worker's lease and returns its shards. A worker that was deleted as lost is registered again.
-- $1 worker uuid, $2 name text, $3 lease interval,
-- $4 lag interval (all events committed before this time are matched)
-- -> shard smallint, epoch bigint, orphaned boolean
with entered as (
  insert into workers (guid, name, renders_deferred, session_pid, session_start)
  select $1::uuid, $2, true, pg_backend_pid(), own_session_start()
  where not exists (select from workers where guid = $1::uuid)
  on conflict (guid) do nothing
), renewal as (
  insert into worker_beats (worker, expires_at, matched_at)
  values ($1::uuid, clock_timestamp() + $3::interval, clock_timestamp() - $4::interval)
)
select shard, epoch, orphaned from shards where owner = $1::uuid
