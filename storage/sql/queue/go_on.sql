-- Ends the current step of runs that the worker still holds and lets them wait for their next one. The texts of
-- the step that is over are kept.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[], $4 statuses text[], $5 attempts int[],
-- $6 times timestamptz[], $7 tries text[], $8 steps text[], $9 actions text[] (types of the next steps),
-- $10 codes text[], $11 stored_steps int[] (in the queue; 0: none has begun), $12 workflows uuid[]
with over as (
  select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::timestamptz[], $7::text[], $8::text[], $9::text[],
                       $10::text[], $11::integer[], $12::uuid[])
    o (business_id, guid, status, attempts, due_at, tries, steps, action, code, stored_step, workflow_id)
)
\ir places.inc
\ir kept_texts.inc
update run_queue q
set status = p.status, code = p.code, error = null, attempts = p.attempts,
\ir due_at.inc
    tries = p.tries, steps = p.steps,
    action = p.action, destination = 'steps/' || get_byte(uuid_send(q.guid), 15) % 8 || '/' || q.business_id, request = 'null', body = null, lease_owner = null
from places p
where q.ctid = p.place and q.lease_owner = $1::uuid
\ir same_step.inc
