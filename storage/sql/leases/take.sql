-- Takes free shards for a worker and returns them: shards without an owner and, if requested, shards of
-- workers whose lease or session ended.
-- $1 worker uuid, $2 limit bigint, $3 take_lost boolean
-- -> shard smallint, epoch bigint, orphaned boolean
with free as (
  select shard, owner from shards
  where owner is distinct from $1::uuid
    and (owner is null or $3::boolean
           and (lease_end(owner) < clock_timestamp() or not worker_lives(owner)))
  order by shard
  limit $2::bigint
  for update skip locked
)
update shards s
set owner = $1::uuid, epoch = epoch + 1, orphaned = free.owner is not null
from free where s.shard = free.shard
returning s.shard, s.epoch, s.orphaned
