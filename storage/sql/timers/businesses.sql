-- Returns the next businesses of a shard that have timers, in the order of their ids.
-- $1 shard smallint, $2 after uuid, $3 limit int
-- -> business_id uuid
with recursive found (business_id, n) as (
  (select t.business_id, 1 from timers t where t.shard = $1 and t.business_id > $2 order by t.business_id limit 1)
  union all
  select next.business_id, f.n + 1
  from found f
  cross join lateral (select t.business_id from timers t where t.shard = $1 and t.business_id > f.business_id
                      order by t.business_id limit 1) next
  where f.n < $3
)
select business_id from found
