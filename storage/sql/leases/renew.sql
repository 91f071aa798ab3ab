-- $1 the worker, $2 its name, $3 for how long, $4 how long ago all that was committed then was matched. Answers the shards it
-- holds; the rest was taken from it. A worker that was taken for lost enters again.
with entered as (
  insert into workers (guid, name, renders_deferred) values ($1::uuid, $2, true) on conflict (guid) do nothing
), beat as (
  insert into worker_beats (worker, expires_at, matched_at)
  values ($1::uuid, clock_timestamp() + $3::interval, clock_timestamp() - $4::interval)
)
select shard, epoch, orphaned from shards where owner = $1::uuid
