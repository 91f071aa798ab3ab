-- Folds the rows of each record count into one. A count with one row stays unchanged.
with crowded as (
  select business_id, entity_type from record_counts group by business_id, entity_type having count(*) > 1
), gone as (
  delete from record_counts r using crowded c
  where r.business_id = c.business_id and r.entity_type = c.entity_type
  returning r.business_id, r.entity_type, r.delta
)
insert into record_counts (business_id, entity_type, delta)
select business_id, entity_type, sum(delta) from gone group by business_id, entity_type
