-- Returns the missing partitions of yesterday, today and the next 7 days, and for positions from 4 weeks ago
-- to 2 weeks ahead. Today's partitions come first.
-- -> parent text, first date
select w.parent, w.first
from (select (now() at time zone 'UTC')::date as today) t, lateral (
  select p.parent, d.day::date as first
  from unnest(array['events', 'runs', 'run_step_texts', 'digest_events', 'mail_addresses']) p (parent), generate_series(today - 1, today + 7, interval '1 day') d (day)
  union all
  select 'positions', d.day::date
  from generate_series(date_trunc('week', (today - 28)::timestamp), today + 14, interval '7 days') d (day)
) w
where to_regclass(w.parent || to_char(w.first, '_YYYYMMDD')) is null
order by w.first < today, w.first, w.parent
