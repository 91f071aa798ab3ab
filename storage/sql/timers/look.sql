-- Returns the milliseconds until the next timer of some shards is due, if that is soon, and whether a scan of records waits.
-- $1 shards smallint[], $2 within interval (the farthest time)
-- -> wait_ms bigint or null, has_scan boolean
select ceil(extract(epoch from min((select t.check_at from timers t
                                    where t.shard = s.shard and t.check_at < statement_timestamp() + $2::interval
                                    order by t.check_at limit 1))
                               - statement_timestamp()) * 1000)::bigint as wait_ms,
       exists (select from timer_scans c where shard_of(c.business_id) = any ($1::smallint[])) as has_scan
from unnest($1::smallint[]) s (shard)
