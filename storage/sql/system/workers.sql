-- Returns the number of living workers, and how many seconds the oldest event that is not recorded has waited (0 if
-- there is none). The time comes from the owner of each shard; without a living owner, from the shard's first
-- pending event.
-- -> living bigint, lag float8 (seconds)
select (select count(*) from workers where lease_end(guid) > clock_timestamp()) as living,
       coalesce(max(extract(epoch from clock_timestamp() - since)), 0)::double precision as lag
from (select case when b.expires_at > clock_timestamp() then b.matched_at
                  else (select p.at from pending_events p where p.shard = s.shard order by p.id limit 1) end as since
      from shards s
      left join lateral (select expires_at, matched_at from worker_beats where worker = s.owner order by id desc limit 1) b
        on true) x
