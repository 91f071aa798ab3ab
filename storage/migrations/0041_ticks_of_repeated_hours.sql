-- The first tick of a cron expression after a time. `either_day`: a day of the month or of the week is enough. Sunday is 0.
-- Null if there is none: within forty years, each day of the year has each weekday that it can have. A zone that the server
-- does not know counts as UTC. Of the matching days, today's and the next are enough. A clock that is set back shows up to
-- two hours again: their ticks, one each minute at most, are over, so that one of the first 121 is to come.
create or replace function next_tick(minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[],
                                     either_day boolean, zone text, after timestamptz)
returns timestamptz language plpgsql stable as $$
declare
  known text := zone;
  today date;
  years integer;
  tick timestamptz;
begin
  begin
    today := (after at time zone zone)::date;
  exception when invalid_parameter_value then
    known := 'UTC';
    today := (after at time zone 'UTC')::date;
  end;
  foreach years in array array[1, 40] loop  -- most expressions come due within a year
    select min(m.moment) into tick
    from (select n.day + make_interval(hours => h.hour, mins => t.minute) as clock
          from (select d::date as day
                from generate_series(today, today + years * 366, interval '1 day') d
                where extract(month from d) = any (months)
                  and case when either_day then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
                           else extract(day from d) = any (days) and extract(dow from d) = any (weekdays) end
                limit 2) n,
               unnest(hours) h (hour), unnest(minutes) t (minute)
          where n.day + make_interval(hours => h.hour, mins => t.minute) > after at time zone known
          order by 1
          limit 121) c,
         lateral (select first_moment_of(c.clock, known) as moment offset 0) m
    where m.moment > after;
    exit when tick is not null;
  end loop;
  return tick;
end $$;
