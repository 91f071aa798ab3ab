-- The first step of replays, and the credentials of versions.

-- The first step of a run that failed or has not ended, from which a replay continues; 1 if there is none. A step that a rule
-- skipped has a result and is over. The current step of a run that was cancelled, or whose record is gone, has none.
create or replace function first_open_step(action text, status text, code text, steps text) returns integer language sql stable as $$
  select coalesce(least((select min((r ->> 'number')::integer) from json_array_elements(steps::json -> 'results') r
                         where r ->> 'status' = 'dead'),
                        case when status <> 'succeeded' and not steps_are_over(steps)
                             then (steps::json ->> 'number')::integer end), 1) $$;

-- The credentials that a version was stored with, sealed as those of its workflow. Null without credentials, and in versions that
-- earlier versions of the service made.
alter table workflow_versions add column sealed_credentials bytea;
