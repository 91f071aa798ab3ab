-- Shards nobody holds, at most $2, for the worker $1: unowned, or, if $3, of a worker that was silent for too long or whose
-- session ended.
with free as (
  select shard, owner from shards
  where owner is distinct from $1::uuid
    and (owner is null or $3::boolean
           and (lease_end(owner) < clock_timestamp() or pg_try_advisory_xact_lock(worker_lock(owner))))
  order by shard
  limit $2::bigint
  for update skip locked
)
update shards s
set owner = $1::uuid, epoch = epoch + 1, orphaned = free.owner is not null
from free where s.shard = free.shard
returning s.shard, s.epoch, s.orphaned
