-- Stores the steps that a worker begins, with their texts, for the runs that it still holds by the same claim. Returns these
-- runs. The texts of a step that is over, and whose end was not stored, are kept. At least the time $2 of the lease is left, at
-- most three seconds more: quick steps that follow each other leave its end as it is, so that no index is written. A run that
-- an erasure met while it was held is queued and not returned: its answers are erased, and the step is rendered anew.
-- $1 worker uuid, $2 lease interval, $3 businesses uuid[], $4 runs uuid[], $5 actions text[],
-- $6 destinations text[], $7 requests text[], $8 bodies text[], $9 attempts int[], $10 tries text[],
-- $11 steps text[], $12 stored_steps int[] (in the queue; 0: none has begun), $13 workflows uuid[],
-- $14 changing_actions text[] (null element: the step changes no record), $15 claims int[]
-- -> guid uuid
with over as (
  select $1::uuid as worker, o.*
  from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[], $10::text[], $11::text[],
              $12::integer[], $13::uuid[], $14::text[], $15::integer[])
    o (business_id, guid, action, destination, request, body, attempts, tries, steps, stored_step, workflow_id, changing_action, claim)
),
\ir places.inc
,
\ir kept_texts.inc
, begun as (
  update run_queue q
  set status = case when q.erased then 'queued' else q.status end,
    lease_owner = case when q.erased is not true then q.lease_owner end,
    due_at = case when q.erased then clock_timestamp()
                  when q.due_at between clock_timestamp() + $2::interval and clock_timestamp() + $2::interval + interval '3 s'
                  then q.due_at else clock_timestamp() + $2::interval + interval '3 s' end,
    action = p.action, changing_action = p.changing_action,
    destination = case when q.erased then step_destination(q.business_id, q.guid) else p.destination end,
    request = case when q.erased then 'null' else p.request end, body = case when q.erased then null else p.body end,
    attempts = p.attempts, tries = case when q.erased then erased_tries(p.tries) else p.tries end,
    steps = case when q.erased then erased_steps(p.steps) else p.steps end, erased = null,
\ir watch.inc
  from places p
  where q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
    and q.lease_owner = p.worker and q.claims = p.claim
    and p.stored_step in (-1, step_number(q.steps))
  returning q.guid, q.status
)
select guid from begun where status = 'running'
