-- The first step of replays of runs that an erasure has ended.

-- The first step of a run that failed or has not ended, from which a replay continues; 1 if there is none. A step that a rule
-- skipped has a result and is over, but one at which an erasure has ended the run is not. The current step of a run that was
-- cancelled, or whose record is gone, has none.
create or replace function first_open_step(action text, status text, code text, steps text) returns integer language sql stable as $$
  select coalesce(least((select min((r ->> 'number')::integer) from json_array_elements(steps::json -> 'results') r
                         where r ->> 'status' = 'dead'),
                        case when status <> 'succeeded' and (not steps_are_over(steps) or code = 'ERASED')
                             then (steps::json ->> 'number')::integer end), 1) $$;
