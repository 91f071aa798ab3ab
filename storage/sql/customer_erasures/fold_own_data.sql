-- Adds a business's changes of own data to its totals, at most a number of changes, and forgets them, because they hold what the
-- records had before. Values that have no record or are not yet counted lose their rows. The caller has locked own_data_totals.
-- Returns the number of changes that it folded.
-- $1 business uuid, $2 limit bigint
-- -> folded bigint
with gone as (
  delete from own_data_changes
  where business_id = $1
    and ctid = any (array(select ctid from own_data_changes where business_id = $1 limit $2::bigint))
  returning *
), moved as (
  select entity_type, value, sum(difference) as difference, max(added_at) as newest_at
  from (select entity_type, unnest(added) as value, 1 as difference, created_at as added_at from gone
        union all
        select entity_type, unnest(removed), -1, null from gone) m
  group by entity_type, value
), summed as (
  update own_data_totals t
  set total = t.total + m.difference, newest_at = greatest(t.newest_at, m.newest_at)
  from moved m
  where t.business_id = $1 and t.entity_type = m.entity_type and t.value = m.value and t.total + m.difference > 0
), removed as (
  delete from own_data_totals t
  where t.business_id = $1
    and (t.total is null
         or t.total + coalesce((select m.difference from moved m
                                where m.entity_type = t.entity_type and m.value = t.value), 0) <= 0)
)
select count(*) as folded from gone
