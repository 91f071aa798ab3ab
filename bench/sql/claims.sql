-- The least work of a queue: a batch of 500 jobs is claimed and deleted.
with claimed as (
  select id from floor_jobs order by id for update skip locked limit 500
)
delete from floor_jobs j using claimed c where j.id = c.id;
