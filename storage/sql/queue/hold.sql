-- Locks the runs that the worker still holds and returns their guids.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[]
-- -> guid uuid
with over as (
  select * from unnest($2::uuid[], $3::uuid[]) o (business_id, guid)
)
\ir places.inc
select q.guid
from places p join run_queue q on q.ctid = p.place
where q.lease_owner = $1::uuid
order by q.guid
for update of q
