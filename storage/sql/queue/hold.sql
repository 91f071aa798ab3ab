-- Which of the runs $3 of the businesses $2 the worker $1 still has; they stay so until the transaction ends.
with over as (
  select * from unnest($2::uuid[], $3::uuid[]) o (business_id, guid)
)
\ir places.inc
select q.guid
from places p join run_queue q on q.ctid = p.place
where q.lease_owner = $1::uuid
order by q.guid
for update of q
