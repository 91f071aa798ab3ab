-- Stores the steps that a worker begins, with their texts, for the runs that it still holds. Returns these
-- runs.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[], $4 actions text[], $5 destinations text[],
-- $6 requests text[], $7 bodies text[], $8 steps text[]
-- -> guid uuid
with over as (
  select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    o (business_id, guid, action, destination, request, body, steps)
)
\ir places.inc
update run_queue q
set action = p.action, destination = p.destination, request = p.request, body = p.body, steps = p.steps
from places p
where q.ctid = p.place and q.lease_owner = $1::uuid
returning q.guid
