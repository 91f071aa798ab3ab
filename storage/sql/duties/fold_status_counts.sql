-- Folds the rows of each number of records with a status into one. A number with one row stays unchanged.
with crowded as (
  select business_id, entity_type from status_counts
  group by business_id, entity_type
  having count(*) > count(distinct status_after) or count(status_before) > 0
), gone as (
  delete from status_counts n using crowded c
  where n.business_id = c.business_id and n.entity_type = c.entity_type
  returning n.*
)
insert into status_counts (business_id, entity_type, status_after, records)
select business_id, entity_type, status, sum(records)
from (select business_id, entity_type, status_after as status, records from gone where status_after is not null
      union all
      select business_id, entity_type, status_before, -records from gone where status_before is not null) c
group by business_id, entity_type, status
having sum(records) <> 0
