-- Takes events off the outbox: $1 shards, $2 ids, $3 the worker. Answers those it really took; another worker, or this
-- one before a lost connection, has the rest.
delete from pending_events p
using unnest($1::smallint[], $2::bigint[]) done (shard, id)
where p.shard = done.shard and p.id = done.id
  and exists (select from shards s where s.shard = p.shard and s.owner = $3::uuid)
returning p.id
