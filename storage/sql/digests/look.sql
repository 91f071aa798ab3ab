-- Returns the milliseconds until the next digest of some shards is due, if that is soon, whether digests of a changed workflow may
-- have to be closed, and whether there are digests.
-- $1 shards smallint[], $2 within interval (the farthest time)
-- -> wait_ms bigint or null, has_closings boolean, has_digests boolean
select ceil(extract(epoch from min((select d.check_at from digests d
                                    where d.shard = s.shard and d.check_at < statement_timestamp() + $2::interval
                                    order by d.check_at limit 1))
                               - statement_timestamp()) * 1000)::bigint as wait_ms,
       exists (select from digest_closings c where shard_of(c.business_id) = any ($1::smallint[])) as has_closings,
       exists (select from unnest($1::smallint[]) s (shard)
               cross join lateral (select from digests d where d.shard = s.shard limit 1) d) as has_digests
from unnest($1::smallint[]) s (shard)
