-- $1 the worker, $2 for how long, $3 how long ago all that was committed then was matched. Answers the shards it holds; the
-- rest was taken from it.
with beat as (
  insert into worker_beats (worker, expires_at, matched_at)
  values ($1::uuid, clock_timestamp() + $2::interval, clock_timestamp() - $3::interval)
)
select shard, epoch, orphaned from shards where owner = $1::uuid
