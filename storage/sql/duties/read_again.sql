-- Makes workers read shards from the beginning if the given event is still pending there; a worker restarts a
-- shard when its epoch changes. Returns these shards and events.
-- $1 shards smallint[], $2 events bigint[]
-- -> shard smallint, id bigint
update shards s set epoch = s.epoch + 1
from unnest($1::smallint[], $2::bigint[]) seen (shard, id)
where s.shard = seen.shard and exists (select from pending_events p where p.shard = seen.shard and p.id = seen.id)
returning s.shard, seen.id
