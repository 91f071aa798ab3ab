-- Takes events off the outbox: $1 shards, $2 ids, $3 the worker. Answers those it really took; another worker, or this
-- one before a lost connection, has the rest.
delete from pending_events p
using unnest($1::smallint[], $2::bigint[]) done (shard, id)
where p.shard = done.shard and p.id = done.id
  and p.shard in (select shard from shards where owner = $3::uuid)  -- once: a held snapshot keeps a row's versions
returning p.id
