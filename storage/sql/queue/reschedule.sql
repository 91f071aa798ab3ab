-- Updates runs that continue later or are held, if the worker still holds them by the same claim.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[], $4 statuses text[], $5 codes text[],
-- $6 errors text[], $7 attempts int[], $8 times timestamptz[], $9 tries text[],
-- $10 requests text[] (null element: stored already), $11 bodies text[] (null element: stored already),
-- $12 steps text[] (null element: as stored), $13 stored_steps int[] (in the queue; 0: none has begun, -1: any),
-- $14 workflows uuid[], $15 claims int[]
with over as (
  select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[],
                       $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[], $14::uuid[], $15::integer[])
    o (business_id, guid, status, code, error, attempts, due_at, tries, request, body, steps, stored_step, workflow_id, claim)
),
\ir places.inc
,
\ir due_times.inc
update run_queue q
set status = p.status, code = p.code, error = p.error, attempts = p.attempts, tries = p.tries, due_at = p.right_time,
    request = coalesce(p.request, q.request), body = coalesce(p.body, q.body), steps = coalesce(p.steps, q.steps),
    lease_owner = null
from due_times p
where q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
  and q.lease_owner = $1::uuid and q.claims = p.claim
  and p.stored_step in (-1, step_number(q.steps))
