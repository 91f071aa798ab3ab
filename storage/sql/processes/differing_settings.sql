-- Returns the options that must be the same in all processes and whose values differ among the living ones, with each value
-- and the processes that have it.
-- -> name text, values text
select s.name, string_agg(coalesce(nullif(s.value, ''), 'none') || ' in ' || s.processes, ', ' order by s.processes) as values
from (select e.key as name, e.value, string_agg(p.name, ' and ' order by p.name) as processes
      from processes p, jsonb_each_text(p.settings) e
      where process_lives(p.guid)
      group by e.key, e.value) s
group by s.name
having count(*) > 1
order by s.name
