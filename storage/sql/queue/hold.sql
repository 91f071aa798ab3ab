-- Which of the runs $3 of the businesses $2 the worker $1 still has; they stay so until the transaction ends.
select q.guid
from unnest($2::uuid[], $3::uuid[]) o (business_id, guid)
join run_queue q on q.business_id = o.business_id and q.guid = o.guid
where q.status = 'running' and q.lease_owner = $1::uuid
order by q.guid
for update of q
