-- Returns the businesses of the first due purchases of some shards, apart from those that had a turn.
-- $1 shards smallint[], $2 had_turn uuid[], $3 purchases_of_shard bigint
-- -> shard smallint, business_id uuid
select distinct s.shard, l.business_id
from unnest($1::smallint[]) s (shard),
     lateral (select p.business_id from purchases p
              where p.shard = s.shard and p.claim_at <= statement_timestamp() and p.business_id <> all ($2::uuid[])
              order by p.claim_at limit $3::bigint) l
