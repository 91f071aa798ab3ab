-- Takes events off the outbox: $1 shards, $2 ids, $3 times, $4 the worker. Answers those it really took; another worker, or
-- this one before a lost connection, has the rest. An event with the id of a settled one and another time is another event.
delete from pending_events p
using unnest($1::smallint[], $2::bigint[], $3::timestamptz[]) done (shard, id, at)
where p.shard = done.shard and p.id = done.id and p.at = done.at
  and p.shard in (select shard from shards where owner = $4::uuid)  -- once: a held snapshot keeps a row's versions
returning p.id, p.at
