-- Counts the records of one value of own data that is not yet counted. Removes its row if there are fewer than `least`. Records and
-- changes are those of one snapshot. No other session writes totals at the same time. Returns the number of values that it
-- counted.
-- $1 least bigint
-- -> counted bigint
with value as materialized (
  select business_id, entity_type, value from own_data_totals where total is null limit 1
), counted as materialized (
  select v.*, n.records, n.newest_at,
         (select coalesce(sum((v.value = any (c.added))::int - (v.value = any (c.removed))::int), 0)
          from own_data_changes c
          where c.business_id = v.business_id and c.entity_type = v.entity_type) as pending
  from value v cross join lateral own_data_count(v.business_id, v.entity_type, v.value) n
), kept as (
  update own_data_totals t set total = c.records - c.pending, newest_at = c.newest_at
  from counted c
  where t.business_id = c.business_id and t.entity_type = c.entity_type and t.value = c.value and c.records >= $1::bigint
), removed as (
  delete from own_data_totals t using counted c
  where t.business_id = c.business_id and t.entity_type = c.entity_type and t.value = c.value and c.records < $1::bigint
)
select count(*) as counted from value
