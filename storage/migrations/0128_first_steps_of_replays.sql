-- A replay knows the step that it began with, so that texts made with values of a step that it repeats are not sent again.

-- The stored steps of a replay that begins at a step, after the results of the steps before it. Earlier binaries leave `from` out
-- when they write them.
create or replace function steps_from(steps text, first integer, type text) returns text language sql immutable as $$
  select json_build_object(
    'number', first, 'from', first, 'type', type, 'goesOn', false, 'next', '', 'attemptsBefore', 0, 'startedAt', null, 'until', null,
    'results', (select coalesce(json_agg(r.result order by r.n), '[]')
                from json_array_elements(steps::json -> 'results') with ordinality r (result, n)
                where (r.result ->> 'number')::integer < first))::text $$;
