-- The number is the first member of the steps that workers write, so it is read without the others: the statements that begin and
-- end a step of a run compare it several times, and the results of ten steps are kilobytes.
create or replace function step_number(steps text) returns integer language sql immutable parallel safe as $$
  select case when left(steps, 20) ~ '^\{"number":[0-9]{1,9},' then split_part(substr(steps, 11, 10), ',', 1)::integer
              else coalesce((steps::json ->> 'number')::integer, 0) end $$;
