-- Runs of several steps.

-- JSON of the step that a run of several steps is at, and of the results of those before it (storage/step_progress.hpp). Null
-- for a run of one action, and until the first step begins. The action, destination, request and body of such a run are
-- those of its current step. A step that is to begin has the request 'null'.
alter table run_queue add column steps text;
alter table runs add column steps text;

create or replace view all_runs as
  select business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action, status,
         code, error, attempts, created_at, null::timestamptz as next_attempt_at, finished_at, origin, replay_of, destination,
         request, body, tries, steps
  from runs
  union all
  select business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action, status,
         code, error, attempts, created_at, case when status in ('waiting', 'queued', 'retrying') then due_at end, null,
         origin, replay_of, destination, request, body, tries, steps
  from run_queue;

-- The texts of steps that are over. Replays of a run send them again. They are kept as long as the event of the first run.
create table run_step_texts (
  business_id  uuid not null,
  origin       uuid not null,         -- the run that used the webhook-id first
  number       integer not null,      -- of the step, from 1
  at           timestamptz not null,  -- guid_time(origin)
  request      text not null,         -- JSON: the rendered action without its body
  body         text,
  primary key (business_id, origin, number, at)
) partition by range (at);
create table run_step_texts_other partition of run_step_texts default;
select make_partitions_of(array['run_step_texts'], (now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);

-- True if the stored steps of a run include the result of its current step.
create function steps_are_over(steps text) returns boolean language sql immutable as $$
  select coalesce((steps::json -> 'results' -> -1 ->> 'number')::integer = (steps::json ->> 'number')::integer, false) $$;

-- The steps of a run as responses show them: those that are over and the current one. A run of one action has one step.
create function shown_steps(action text, status text, code text, error text, finished_at timestamptz, tries text, steps text)
returns json language sql stable as $$
  select case
    when steps_are_over(steps) then steps::json -> 'results'
    when json_array_length(steps::json -> 'results') > 0 then
      (left((steps::json -> 'results')::text, -1) || ',' || c.step || ']')::json
    else json_build_array(c.step) end
  from (select json_build_object(
          'number', coalesce((steps::json ->> 'number')::integer, 1), 'type', coalesce(steps::json ->> 'type', action),
          'status', status, 'code', code, 'error', error,
          'startedAt', case when steps is null then tries::json -> 0 ->> 'startedAt' else steps::json ->> 'startedAt' end,
          'finishedAt', iso(finished_at)) as step) c $$;

-- The number of steps of a run that failed.
create function failed_steps(status text, steps text) returns integer language sql immutable as $$
  select (select count(*) from json_array_elements(steps::json -> 'results') r where r ->> 'status' = 'dead')::integer
         + (status = 'dead' and not coalesce(steps_are_over(steps), false))::integer $$;

-- The attempts of a run as responses show them: those of a run of one action belong to its first step.
create function shown_tries(tries text) returns json language sql immutable as $$
  select coalesce(json_agg(case when t.try -> 'step' is not null then t.try
                                else (left(t.try::text, -1) || ',"step":1}')::json end order by t.n), '[]')
  from json_array_elements(tries::json) with ordinality t (try, n) $$;

-- The first step of a run that did not succeed, from which a replay continues; 1 if all did.
create function first_open_step(action text, status text, code text, steps text) returns integer language sql stable as $$
  select coalesce((select min((s ->> 'number')::integer)
                   from json_array_elements(shown_steps(action, status, code, null, null, '[]', steps)) s
                   where s ->> 'status' <> 'succeeded'), 1) $$;

-- The stored steps of a replay that begins at a step, after the results of the steps before it.
create function steps_from(steps text, first integer, type text) returns text language sql immutable as $$
  select json_build_object(
    'number', first, 'type', type, 'goesOn', false, 'next', '', 'attemptsBefore', 0, 'startedAt', null, 'until', null,
    'results', (select coalesce(json_agg(r.result order by r.n), '[]')
                from json_array_elements(steps::json -> 'results') with ordinality r (result, n)
                where (r.result ->> 'number')::integer < first))::text $$;

-- The stored steps of a run without the errors of the results.
create function erased_steps(steps text) returns text language sql immutable
return (steps::jsonb || jsonb_build_object('results', (
          select coalesce(jsonb_agg(r.result || '{"error": null}' order by r.n), '[]')
          from jsonb_array_elements(steps::jsonb -> 'results') with ordinality r (result, n))))::text;
