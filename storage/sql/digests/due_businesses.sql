-- Returns the businesses of the first due digests of some shards, apart from those that had a turn.
-- $1 shards smallint[], $2 had_turn uuid[], $3 digests_of_shard bigint
-- -> shard smallint, business_id uuid
select distinct s.shard, l.business_id
from unnest($1::smallint[]) s (shard),
     lateral (select d.business_id from digests d
              where d.shard = s.shard and d.check_at <= statement_timestamp() and d.business_id <> all ($2::uuid[])
              order by d.check_at limit $3::bigint) l
