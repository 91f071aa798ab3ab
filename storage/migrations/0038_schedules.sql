-- Businesses whose time zone has changed: the next ticks of their schedules are to be computed anew. Earlier versions leave
-- the rows to a later worker.
create table changed_zones (business_id uuid primary key);

create function note_changed_zone() returns trigger language plpgsql as $$
begin
  insert into changed_zones (business_id)
  select new.guid where exists (select from schedules where business_id = new.guid)
  on conflict do nothing;
  return null;
end $$;
create trigger note_changed_zone after update on businesses for each row
  when (old.timezone is distinct from new.timezone) execute function note_changed_zone();

-- The ticks of a cron expression from a time until before another, each once, in no order. As next_tick: Sunday is 0, and a
-- zone that the server does not know counts as UTC. On a day without a change of the clock, or one next to it, each time
-- exists once.
create function ticks_between(minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[],
                              either_day boolean, zone text, first timestamptz, after_last timestamptz)
returns setof timestamptz language plpgsql stable as $$
declare
  known text := zone;
  first_day date;
begin
  begin
    first_day := (first at time zone zone)::date - 1;
  exception when invalid_parameter_value then
    known := 'UTC';
    first_day := (first at time zone 'UTC')::date - 1;
  end;
  return query
    select distinct m.moment
    from (select d as day,
                 (d + interval '1 day') at time zone known - (d - interval '1 day') at time zone known = interval '48 hours'
                   as is_ordinary
          from generate_series(first_day::timestamp, (after_last at time zone known)::date + interval '1 day', interval '1 day') d
          where extract(month from d) = any (months)
            and case when either_day then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
                     else extract(day from d) = any (days) and extract(dow from d) = any (weekdays) end
          offset 0) n,
         unnest(hours) h (hour), unnest(minutes) t (minute),
         lateral (select n.day + make_interval(hours => h.hour, mins => t.minute) as clock) c,
         lateral (select case when n.is_ordinary then c.clock at time zone known
                              else first_moment_of(c.clock, known) end as moment offset 0) m
    where m.moment >= first and m.moment < after_last;
end $$;
