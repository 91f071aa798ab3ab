-- Timers and schedules of workflows. Such a workflow has the trigger code `timer:ENTITY.FIELD:OFFSET` or
-- `schedule:ENTITY:JSON`, which earlier versions cannot read, so they hold it.

-- The version of the workflow that last changed its timer or schedule, and the time of that change. Null without one.
alter table workflows add column timer_plan integer, add column timer_since timestamptz;

-- Timers that wait: at most one for each workflow and record.
create table timers (
  business_id  uuid not null,
  workflow_id  uuid not null,
  entity_id    uuid not null,
  shard        smallint not null,      -- of the business; due timers are found shard by shard
  plan         integer not null,       -- workflows.timer_plan as of the setting
  value        timestamptz not null,   -- of the field
  due_at       timestamptz not null,
  check_at     timestamptz not null,   -- due_at; later while no worker may fire the timer
  event_id     bigint not null,        -- the event that set it; 0: the scan of the existing records
  primary key (business_id, workflow_id, entity_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index timers_due on timers (shard, check_at);

-- Timers that came due, with the result. A value fires once: its row keeps it from being set again. Rows go when no offset
-- can make their value due again, see storage/sql/duties/expire_timers.sql.
create table timer_results (
  business_id  uuid not null,
  entity_id    uuid not null,
  workflow_id  uuid not null,
  value        timestamptz not null,
  due_at       timestamptz not null,
  plan         integer not null,
  run_id       uuid,                   -- null: it did not fire
  reason       text check (reason in ('condition', 'switched_off')),
  at           timestamptz not null default now(),
  primary key (business_id, entity_id, workflow_id, value),
  constraint timer_results_whole check ((run_id is null) = (reason is not null))
);
create index timer_results_by_value on timer_results (value);

-- Workflows whose timers are to be set for the records that exist. A worker goes through the records in the order of their
-- guids and moves the position in the transaction that sets their timers.
create table timer_scans (
  business_id  uuid not null,
  workflow_id  uuid not null,
  plan         integer not null,
  position     uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (business_id, workflow_id)
);

-- The next tick of each workflow with a schedule. Null: it is to be computed from the time of the change on.
create table schedules (
  business_id  uuid not null,
  workflow_id  uuid not null,
  plan         integer not null,
  next_at      timestamptz,
  check_at     timestamptz not null default now(),  -- next_at; later while no worker may run it
  primary key (business_id, workflow_id)
);
create index schedules_due on schedules (check_at);

-- The first tick of a cron expression after a time. `either_day`: a day of the month or of the week is enough. Sunday is 0.
-- Null if there is none within nine years. A zone that the server does not know counts as UTC. Of the matching days,
-- yesterday's, today's and the next are enough. Clocks are set back by two hours at most, and 150 ticks take longer than
-- that.
create function next_tick(minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[],
                          either_day boolean, zone text, after timestamptz)
returns timestamptz language plpgsql stable as $$
declare
  known text := zone;
  today date;
begin
  begin
    today := (after at time zone zone)::date;
  exception when invalid_parameter_value then
    known := 'UTC';
    today := (after at time zone 'UTC')::date;
  end;
  return (
    select min(m.moment)
    from (select n.day + make_interval(hours => h.hour, mins => t.minute) as clock
          from (select d::date as day
                from generate_series(today - 1, today + 9 * 366, interval '1 day') d
                where extract(month from d) = any (months)
                  and case when either_day then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
                           else extract(day from d) = any (days) and extract(dow from d) = any (weekdays) end
                limit 3) n,
               unnest(hours) h (hour), unnest(minutes) t (minute)
          where n.day + make_interval(hours => h.hour, mins => t.minute) > (after at time zone known) - interval '2 hours'
          order by 1
          limit 150) c,
         lateral (select first_moment_of(c.clock, known) as moment offset 0) m
    where m.moment > after);
end $$;

-- Runs without an event have a negative event_id, each its own, so that pairs of event and workflow stay unique.
create sequence eventless_ids as bigint minvalue -9223372036854775808 maxvalue -1 start -9223372036854775808;

create function plan_workflow_timer() returns trigger language plpgsql as $$
begin
  if not starts_with(new.trigger_code, 'timer:') and not starts_with(new.trigger_code, 'schedule:') then
    new.timer_plan := null;
    new.timer_since := null;
    return new;
  elsif tg_op = 'UPDATE' and new.trigger_code = old.trigger_code and new.entity_type = old.entity_type then
    return new;
  end if;
  new.timer_plan := new.version;
  new.timer_since := clock_timestamp();
  if starts_with(new.trigger_code, 'schedule:') then
    insert into schedules as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update
    set plan = excluded.plan, next_at = null, check_at = excluded.check_at;
  else
    insert into timer_scans as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update set plan = excluded.plan, position = excluded.position;
  end if;
  return new;
end $$;
create trigger plan_timer before insert or update of trigger_code, entity_type on workflows for each row
  execute function plan_workflow_timer();

-- Also counts the workflows with a timer or a schedule, by the codes `timer` and `schedule`.
create or replace function meets_trigger(stored text, code text) returns boolean language sql immutable as $$
  select form = code or form = '2:' || code or starts_with(form, code || ':')
         or (starts_with(form, 'any:') and (code = any (string_to_array(substr(form, 5), ','))
                                            or right(form, 1) = '*' and starts_with(code, rtrim(substr(form, 5), '*'))))
  from (select regexp_replace(stored, '^3:', '') as form) s $$;
