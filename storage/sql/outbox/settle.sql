-- Deletes events from the outbox and returns those deleted. The others were already settled or their shard
-- has another owner. Events with the same id and different times are different events.
-- $1 shards smallint[], $2 events bigint[], $3 times timestamptz[], $4 worker uuid
-- -> id bigint, at timestamptz
delete from pending_events p
using unnest($1::smallint[], $2::bigint[], $3::timestamptz[]) done (shard, id, at)
where p.shard = done.shard and p.id = done.id and p.at = done.at
  and p.shard in (select shard from shards where owner = $4::uuid)  -- read once: an old snapshot keeps many row versions
returning p.id, p.at
