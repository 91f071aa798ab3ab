-- Has those shards read from their beginning in which an event still lies: $1 shards, $2 ids. A worker begins a shard anew when
-- its epoch changes. Answers them.
update shards s set epoch = s.epoch + 1
from unnest($1::smallint[], $2::bigint[]) seen (shard, id)
where s.shard = seen.shard and exists (select from pending_events p where p.shard = seen.shard and p.id = seen.id)
returning s.shard, seen.id
