-- Locks the runs that the worker still holds by the same claim at the given step, and returns them.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[], $4 stored_steps int[] (in the queue; 0: none has begun,
-- -1: any), $5 workflows uuid[], $6 claims int[]
-- -> guid uuid, stored_step int, claim int
with over as (
  select * from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::uuid[], $6::integer[])
    o (business_id, guid, stored_step, workflow_id, claim)
),
\ir places.inc
select q.guid, p.stored_step, p.claim
from places p join run_queue q on q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
where q.lease_owner = $1::uuid and q.claims = p.claim
  and p.stored_step in (-1, step_number(q.steps))
order by q.guid
for update of q
