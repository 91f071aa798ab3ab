-- Returns the milliseconds until the next step of a purchase of some shards is due, if that is soon.
-- $1 shards smallint[], $2 within interval (the farthest time)
-- -> wait_ms bigint or null
select ceil(extract(epoch from min((select p.claim_at from purchases p
                                    where p.shard = s.shard and p.claim_at < statement_timestamp() + $2::interval
                                    order by p.claim_at limit 1))
                               - statement_timestamp()) * 1000)::bigint as wait_ms
from unnest($1::smallint[]) s (shard)
