-- Folds the rows of each record count into one, at most a number of rows in total. A count with one row stays
-- unchanged. Returns the number of rows that it folded.
-- $1 limit bigint
-- -> folded bigint
with crowded as (
  select business_id, entity_type from record_counts group by business_id, entity_type having count(*) > 1
), part as materialized (
  select r.ctid as place from crowded c
  join record_counts r on r.business_id = c.business_id and r.entity_type = c.entity_type
  order by c.business_id, c.entity_type limit $1::bigint
), gone as (
  delete from record_counts r using part p where r.ctid = p.place returning r.business_id, r.entity_type, r.delta
), written as (
  insert into record_counts (business_id, entity_type, delta)
  select business_id, entity_type, sum(delta) from gone group by business_id, entity_type
)
select count(*) as folded from gone
