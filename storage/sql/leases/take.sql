-- Shards nobody holds, at most $3, for the worker $1 for $2: unowned, expired, or of a worker whose session ended.
with free as (
  select shard, owner from shards
  where owner is distinct from $1::uuid
    and (owner is null or expires_at < clock_timestamp() or pg_try_advisory_xact_lock(worker_lock(owner)))
  order by shard
  limit $3::bigint
  for update skip locked
)
update shards s
set owner = $1::uuid, epoch = epoch + 1, orphaned = free.owner is not null,
    expires_at = clock_timestamp() + $2::interval, idle = false, matched_at = null
from free where s.shard = free.shard
returning s.shard, s.epoch, s.orphaned
