-- Adds the changes of own data to the totals, at most a number of changes, and forgets them. A value without a total gets a row
-- to be counted (count_own_data.sql) with a probability of one in 1024 for each record to which it was added, so a value that
-- becomes frequent is counted now and then. So is a total that has become less than `least`. No other session writes totals at
-- the same time. Returns the number of changes that it folded.
-- $1 limit bigint, $2 least bigint
-- -> folded bigint
with part as materialized (
  select ctid as place from own_data_changes order by business_id, entity_type limit $1::bigint
), gone as (
  delete from own_data_changes c using part p where c.ctid = p.place returning c.*
), moved as (
  select business_id, entity_type, value, sum(difference) as difference, count(added_at) as additions, max(added_at) as newest_at
  from (select business_id, entity_type, unnest(added) as value, 1 as difference, created_at as added_at from gone
        union all
        select business_id, entity_type, unnest(removed), -1, null from gone) m
  group by business_id, entity_type, value
), summed as (
  update own_data_totals t
  set total = case when t.total + m.difference >= $2::bigint then t.total + m.difference end,
      newest_at = greatest(t.newest_at, m.newest_at)
  from moved m
  where t.business_id = m.business_id and t.entity_type = m.entity_type and t.value = m.value
), found as (
  insert into own_data_totals (business_id, entity_type, value)
  select business_id, entity_type, value from moved where random() * 1024 < additions
  on conflict do nothing
)
select count(*) as folded from gone
