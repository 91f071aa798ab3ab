-- Ends the current step of runs that the worker still holds by the same claim and lets them wait for their next one. The texts of
-- the step that is over are kept. A run that waits for an event is due at once if it has not looked at one that woke it. The
-- answer to an attempt that an erasure met is not kept.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[], $4 statuses text[], $5 attempts int[],
-- $6 times timestamptz[], $7 tries text[], $8 steps text[], $9 actions text[] (types of the next steps),
-- $10 codes text[], $11 stored_steps int[] (in the queue; 0: none has begun), $12 workflows uuid[],
-- $13 changing_actions text[] (null element: the next step changes no record), $14 claims int[]
with over as (
  select $1::uuid as worker, o.*
  from unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::timestamptz[], $7::text[], $8::text[], $9::text[],
              $10::text[], $11::integer[], $12::uuid[], $13::text[], $14::integer[])
    o (business_id, guid, status, attempts, due_at, tries, steps, action, code, stored_step, workflow_id, changing_action, claim)
),
\ir places.inc
,
\ir due_times.inc
,
\ir kept_texts.inc
update run_queue q
set status = p.status, code = p.code, error = null, attempts = p.attempts,
    due_at = case when awaits_further(q.awaited_event, p.steps) then clock_timestamp() else p.right_time end,
    tries = case when q.erased then erased_tries(p.tries) else p.tries end,
    steps = case when q.erased then erased_steps(p.steps) else p.steps end, erased = null,
    action = p.action, changing_action = p.changing_action,
    destination = step_destination(q.business_id, q.guid), request = 'null', body = null, lease_owner = null,
\ir watch.inc
from due_times p
where q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
  and q.lease_owner = p.worker and q.claims = p.claim
  and p.stored_step in (-1, step_number(q.steps))
