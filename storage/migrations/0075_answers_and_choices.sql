-- Steps with names, answers and choices.

-- The steps of a definition in the order of their numbers, those of choices included, each with the numbers of the choices that
-- it is in. A path alternates positions and ways.
create function numbered_steps(steps jsonb) returns table (number integer, step jsonb, choices integer[])
language sql immutable parallel safe as $$
  with recursive walk (path, step) as (
    select array[t.n], t.step from jsonb_array_elements(steps) with ordinality t (step, n)
    union all
    select w.path || c.way || c.n, c.step
    from walk w
    cross join lateral (
      select 1::bigint as way, t.step, t.n
      from jsonb_array_elements(case jsonb_typeof(w.step -> 'then') when 'array' then w.step -> 'then' end)
        with ordinality t (step, n)
      union all
      select 2, t.step, t.n
      from jsonb_array_elements(case jsonb_typeof(w.step -> 'otherwise') when 'array' then w.step -> 'otherwise' end)
        with ordinality t (step, n)) c
  ), numbered as (
    select path, step, (row_number() over (order by path))::integer as number from walk
  )
  select s.number, s.step - 'then' - 'otherwise',
         coalesce((select array_agg(c.number) from numbered c
                   where cardinality(c.path) < cardinality(s.path) and c.path = s.path[1:cardinality(c.path)]), '{}')
  from numbered s $$;

create function flat_steps(steps jsonb) returns jsonb language sql immutable parallel safe as $$
  select case
    when not jsonb_path_exists(steps, '$[*] ? (@.type == "choose")') then steps
    else (select jsonb_agg(n.step order by n.number) from numbered_steps(steps) n) end $$;

-- The results of a run's steps as responses show them.
create function shown_results(steps text) returns json language sql immutable parallel safe as $$
  select case
    when steps !~ '"(usedBy|passed)":' then steps::json -> 'results'
    else (select coalesce(json_agg(r.result - 'usedBy' - 'passed' order by r.n), '[]')
          from jsonb_array_elements(steps::jsonb -> 'results') with ordinality r (result, n)) end $$;

-- The steps of a run as responses show them: those that are over and the current one. A run of one action has one step.
create or replace function shown_steps(action text, status text, code text, error text, finished_at timestamptz, tries text,
                                       steps text)
returns json language sql stable as $$
  select case
    when steps_are_over(steps) then shown_results(steps)
    when json_array_length(steps::json -> 'results') > 0 then
      (left(shown_results(steps)::text, -1) || ',' || c.step || ']')::json
    else json_build_array(c.step) end
  from (select case when s.name is null then s.step
                    else (left(s.step::text, -1) || ',"name":' || to_json(s.name)::text || '}')::json end as step
        from (select json_build_object(
                'number', coalesce((steps::json ->> 'number')::integer, 1), 'type', coalesce(steps::json ->> 'type', action),
                'status', status, 'code', code, 'error', error,
                'startedAt', case when steps is null then tries::json -> 0 ->> 'startedAt' else steps::json ->> 'startedAt' end,
                'finishedAt', iso(finished_at)) as step,
              steps::json ->> 'name' as name) s) c $$;

-- The stored steps of a run without the errors and the answers of the results.
create or replace function erased_steps(steps text) returns text language sql immutable
return (steps::jsonb || jsonb_build_object('results', (
          select coalesce(jsonb_agg(r.result || '{"error": null}'
                                    || case when jsonb_typeof(r.result -> 'answer') = 'object'
                                            then '{"answer": null, "erased": true}'::jsonb else '{}'::jsonb end order by r.n), '[]')
          from jsonb_array_elements(steps::jsonb -> 'results') with ordinality r (result, n))))::text;

-- True if a step is in a way that a choice before step `first` did not take.
create function in_way_not_taken(steps text, step integer, first integer) returns boolean
language sql immutable parallel safe as $$
  select case
    when steps !~ '"passed":' then false
    else exists (
      select from jsonb_array_elements(steps::jsonb -> 'results') c
      where (c ->> 'number')::integer < first and c ? 'passed'
        and step between (c -> 'passed' ->> 0)::integer and (c -> 'passed' ->> 1)::integer) end $$;

-- True if a run with these stored steps has taken the ways that lead to a step of its definition.
create function has_reached(steps text, definition jsonb, first integer) returns boolean language sql immutable parallel safe as $$
  select case
    when not jsonb_path_exists(definition, '$[*] ? (@.type == "choose")') then true
    else not in_way_not_taken(steps, first, first)
         and coalesce((select n.choices from numbered_steps(definition) n where n.number = first), '{}')
             <@ array(select (r ->> 'number')::integer from jsonb_array_elements(steps::jsonb -> 'results') r
                      where r ? 'way') end $$;

-- True if a step from `first` on uses an answer of an earlier step that is kept, or that was erased. Steps in ways not taken
-- count only if the choice is made again.
create function uses_answer(steps text, first integer, erased boolean) returns boolean language sql immutable parallel safe as $$
  select case
    when steps !~ '"usedBy":' then false
    else exists (
      select from jsonb_array_elements(steps::jsonb -> 'results') a
      cross join jsonb_array_elements_text(case when a ? 'usedBy' then a -> 'usedBy' else '[]' end) u
      where (a ->> 'number')::integer < first and u::integer >= first
        and case when erased then a ? 'erased' else jsonb_typeof(a -> 'answer') = 'object' end
        and not in_way_not_taken(steps, u::integer, first)) end $$;
