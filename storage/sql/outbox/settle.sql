-- Deletes events from the outbox and returns those deleted. The others were already settled or their shard
-- has, or has had since the epoch of the lease, another owner. Events with the same id and different times are
-- different events.
-- $1 shards smallint[], $2 events bigint[], $3 times timestamptz[], $4 worker uuid, $5 epochs bigint[]
-- -> id bigint, at timestamptz
delete from pending_events p
using unnest($1::smallint[], $2::bigint[], $3::timestamptz[], $5::bigint[]) done (shard, id, at, epoch)
where p.shard = done.shard and p.id = done.id and p.at = done.at
  -- read once: an old snapshot keeps many row versions
  and (done.shard, done.epoch) in (select shard, epoch from shards where owner = $4::uuid)
returning p.id, p.at
