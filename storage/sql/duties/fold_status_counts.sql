-- Folds the rows of each number of records with a status into one, at most a number of rows in total. A number with one
-- row stays unchanged. Returns the number of rows that it folded.
-- $1 limit bigint
-- -> folded bigint
with crowded as (
  select business_id, entity_type from status_counts
  group by business_id, entity_type
  having count(*) > count(distinct status_after) or count(status_before) > 0
), part as materialized (
  select n.ctid as place from crowded c
  join status_counts n on n.business_id = c.business_id and n.entity_type = c.entity_type
  order by c.business_id, c.entity_type limit $1::bigint
), gone as (
  delete from status_counts n using part p where n.ctid = p.place returning n.*
), written as (
  insert into status_counts (business_id, entity_type, status_after, records)
  select business_id, entity_type, status, sum(records)
  from (select business_id, entity_type, status_after as status, records from gone where status_after is not null
        union all
        select business_id, entity_type, status_before, -records from gone where status_before is not null) c
  group by business_id, entity_type, status
  having sum(records) <> 0
)
select count(*) as folded from gone
