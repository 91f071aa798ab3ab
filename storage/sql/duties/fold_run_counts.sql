-- Folds the rows of each count of finished runs into one. A count with one row stays unchanged.
with crowded as (
  select business_id, unit, start, workflow_id, status from run_counts
  group by business_id, unit, start, workflow_id, status having count(*) > 1
), gone as (
  delete from run_counts r using crowded c
  where r.business_id = c.business_id and r.unit = c.unit and r.start = c.start and r.workflow_id = c.workflow_id
    and r.status = c.status
  returning r.*
)
insert into run_counts (business_id, unit, start, workflow_id, status, runs)
select business_id, unit, start, workflow_id, status, sum(runs) from gone
group by business_id, unit, start, workflow_id, status
having sum(runs) <> 0
