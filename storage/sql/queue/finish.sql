-- Moves finished runs that the worker still holds by the same claim to the history, and counts them. Returns the ordered ones.
-- $1 worker uuid, $2 businesses uuid[], $3 runs uuid[], $4 statuses text[], $5 codes text[],
-- $6 errors text[], $7 attempts int[], $8 times timestamptz[], $9 tries text[],
-- $10 requests text[] (null element: stored already), $11 bodies text[] (null element: stored already),
-- $12 steps text[] (null element: as stored), $13 stored_steps int[] (in the queue; 0: none has begun, -1: any),
-- $14 workflows uuid[], $15 claims int[]
-- -> business_id uuid, workflow_id uuid, entity_id uuid, event_id bigint, guid uuid, is_replay boolean
with over as (
  select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[],
                       $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[], $14::uuid[], $15::integer[])
    o (business_id, guid, status, code, error, attempts, finished_at, tries, request, body, steps, stored_step, workflow_id, claim)
)
, gone as (
  delete from run_queue q using over p
  where q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
    and q.lease_owner = $1::uuid and q.claims = p.claim
    and p.stored_step in (-1, step_number(q.steps))
  returning q.*
), moved as (
  insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                    status, code, error, attempts, created_at, finished_at, origin, replay_of, destination, request, body,
                    tries, steps)
  select g.business_id, g.guid, g.workflow_id, g.workflow_version, g.event_id, g.entity_type, g.entity_id, g.trigger_code, g.action,
         o.status, o.code, o.error, o.attempts, g.created_at, o.finished_at, g.origin, g.replay_of, g.destination,
         coalesce(o.request, g.request), coalesce(o.body, g.body), o.tries, coalesce(o.steps, g.steps)
  from gone g join over o using (business_id, guid)
  returning business_id, created_at, finished_at, workflow_id, status
), times as (
  select business_id, created_at, workflow_id, status, count(*) as runs,
         case when status = 'succeeded' then latency_bucket(finished_at - created_at) end as bucket
  from moved group by business_id, created_at, workflow_id, status, bucket
), counted as (
  insert into run_counts (business_id, unit, start, workflow_id, status, runs, latencies, newest_at)
  select business_id, unit, start, workflow_id, status, sum(runs), jsonb_object_agg(bucket, runs) filter (where bucket is not null),
         max(newest_at)
  from (select business_id, unit, date_trunc(unit, created_at, 'UTC') as start, workflow_id, status, bucket, sum(runs) as runs,
               max(created_at) as newest_at
        from times, unnest(array['day', 'hour']) unit group by 1, 2, 3, 4, 5, 6) t
  group by 1, 2, 3, 4, 5
)
select business_id, workflow_id, entity_id, event_id, guid, replay_of is not null as is_replay from gone where ordered
