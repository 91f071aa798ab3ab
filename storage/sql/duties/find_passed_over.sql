-- The first event that lies in the outbox, by shard, where the worker that lives says that all of its time was matched a
-- minute ago or more.
select p.shard, p.id
from shards s,
     lateral (select b.expires_at, b.matched_at from worker_beats b where b.worker = s.owner order by b.id desc limit 1) b,
     lateral (select p.shard, p.id, p.at from pending_events p where p.shard = s.shard order by p.id limit 1) p
where b.expires_at > clock_timestamp() and p.at < b.matched_at - interval '1 minute'
