-- A time near the end of the calendar has no working day that a program could read: the events of all businesses waited for it.

-- The moment of the n-th working day after another moment, before it for a negative n, at which the clock of a zone shows the
-- same time. Of times that the zone skips or repeats, first_moment_of decides. Null if the n-th is not among the next 60 days. A
-- zone that the server does not know counts as UTC. The result is within the years 1 to 9999, which all programs can read.
create or replace function working_day_from(start timestamptz, n integer, zone text, workdays jsonb, holidays jsonb)
returns timestamptz language plpgsql stable parallel safe as $$
declare
  known text := zone;
  clock timestamp;
  minute timestamp;
  day date;
  missing integer := abs(n);
  moment timestamptz;
begin
  begin
    clock := start at time zone zone;
  exception when invalid_parameter_value then
    known := 'UTC';
    clock := start at time zone 'UTC';
  end;
  for distance in 1..60 loop
    day := clock::date + distance * sign(n)::integer;
    if is_working_day(day, workdays, holidays) then missing := missing - 1; end if;
    exit when missing = 0;
  end loop;
  if missing > 0 then return null; end if;
  -- Zones skip and repeat whole minutes.
  minute := day + date_trunc('minute', clock)::time;
  moment := first_moment_of(minute, known);
  if moment at time zone known = minute then moment := moment + (clock - date_trunc('minute', clock)); end if;
  return greatest('0001-01-01 00:00:00+00'::timestamptz, least('9999-12-31 23:59:59.999999+00'::timestamptz, moment));
end $$;
