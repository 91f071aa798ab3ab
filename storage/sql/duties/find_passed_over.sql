-- Returns, for each shard, the first pending event if it is older by a minute or more than the time up to
-- which the shard's living owner reports all events as matched.
-- -> shard smallint, id bigint
select p.shard, p.id
from shards s,
     lateral (select b.expires_at, b.matched_at from worker_beats b where b.worker = s.owner order by b.id desc limit 1) b,
     lateral (select p.shard, p.id, p.at from pending_events p where p.shard = s.shard order by p.id limit 1) p
where b.expires_at > clock_timestamp() and p.at < b.matched_at - interval '1 minute'
