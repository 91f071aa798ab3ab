-- Working days: the calendar of a business, and the delays, waits, timers and windows that follow it.

-- The days of the week on which the business works, and the dates on which it does not.
alter table businesses
  add column workdays jsonb not null default '["mon", "tue", "wed", "thu", "fri"]'
    constraint businesses_have_workdays check (jsonb_typeof(workdays) = 'array' and workdays <> '[]'),
  add column holidays jsonb not null default '[]'  -- ["2026-12-25"]
    constraint businesses_list_holidays check (jsonb_typeof(holidays) = 'array'),
  add column calendar_changed_at timestamptz;  -- the last change of the two or of the time zone; null: none yet

-- The delay is a number of working days. Such a workflow has the fourth format, which is one of the others after `4:`.
alter table workflows add column workdays boolean not null default false;

-- A scan that a changed calendar has caused sets no timer that was due before the change. Null: before workflows.timer_since.
alter table timer_scans add column since timestamptz;

-- A version keeps a delay of working days apart: statements of earlier binaries would take it for one of whole days.
create or replace function workflow_definition(w workflows) returns jsonb language sql stable as $$
  select jsonb_build_object('name', w.name, 'entityType', w.entity_type, 'trigger', w.trigger_code, 'action', w.action,
                            'conditions', w.conditions, 'ordered', w.ordered,
                            'delay', case when not w.workdays then w.delay end,
                            'workdays', case when w.workdays then w.delay end) $$;

-- The audit log also has the new columns. The triggers keep the fields that they have.
do $$
declare
  audit record;
begin
  for audit in select tgname as name, tgrelid::regclass::text as changed, pg_get_triggerdef(oid) as definition from pg_trigger
               where tgrelid = 'workflows'::regclass and tgname in ('audit_insert', 'audit_change')
                  or tgrelid = 'businesses'::regclass and tgname = 'audit' loop
    execute format('drop trigger %I on %s', audit.name, audit.changed);
    execute regexp_replace(audit.definition, '\)$', case when audit.name = 'audit'
      then ', ''workdays=calendar.workdays'', ''holidays=calendar.holidays'')' else ', ''workdays=workdays'')' end);
  end loop;
end $$;

create function is_working_day(day date, workdays jsonb, holidays jsonb) returns boolean language sql stable parallel safe as $$
  select workdays ? to_char(day, 'dy') and not holidays ? to_char(day, 'YYYY-MM-DD') $$;

-- The moment of the n-th working day after another moment, before it for a negative n, at which the clock of a zone shows the
-- same time. Of times that the zone skips or repeats, first_moment_of decides. Null if the n-th is not among the next 60 days. A
-- zone that the server does not know counts as UTC.
create function working_day_from(start timestamptz, n integer, zone text, workdays jsonb, holidays jsonb)
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
  return moment;
end $$;

-- As next_opening without a calendar, which earlier binaries call. With one, an opening begins on a working day, and the next
-- one may be 60 days away. `is_known` is false if the server does not know the zone.
create function next_opening(zone text, days integer[], opens time, closes time, at timestamptz, workdays jsonb, holidays jsonb,
                             out opens_at timestamptz, out closes_at timestamptz, out is_known boolean)
language plpgsql stable as $$
declare
  day date;
begin
  is_known := true;
  for day in select d::date from generate_series(date_trunc('day', at at time zone zone) - interval '1 day',
                                                 at at time zone zone + interval '60 days', interval '1 day') d
             where extract(isodow from d)::integer = any (days)
               and (workdays is null or is_working_day(d::date, workdays, holidays)) loop
    opens_at := first_moment_of(day + opens, zone);
    closes_at := first_moment_of(day + closes + case when closes < opens then interval '1 day' else interval '0' end, zone);
    if closes_at > at and closes_at > opens_at then return; end if;
  end loop;
  opens_at := null;
  closes_at := null;
exception when invalid_parameter_value then
  opens_at := null;
  closes_at := null;
  is_known := false;
end $$;

-- Also plans the timer of a workflow with a delay of working days. A change of the delay alone leaves the timer as it is.
create or replace function plan_workflow_timer() returns trigger language plpgsql as $$
declare
  form text := regexp_replace(new.trigger_code, '^4:', '');
begin
  if not starts_with(form, 'timer:') and not starts_with(form, 'schedule:') then
    new.timer_plan := null;
    new.timer_since := null;
    return new;
  elsif tg_op = 'UPDATE' and form = regexp_replace(old.trigger_code, '^4:', '') and new.entity_type = old.entity_type then
    return new;
  end if;
  new.timer_plan := new.version;
  new.timer_since := clock_timestamp();
  if starts_with(form, 'schedule:') then
    insert into schedules as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update
    set plan = excluded.plan, next_at = null, check_at = excluded.check_at;
  else
    insert into timer_scans as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update
    set plan = excluded.plan, position = excluded.position, since = excluded.since;
  end if;
  return new;
end $$;

create or replace function meets_trigger(stored text, code text) returns boolean language sql immutable as $$
  select form = code or form = '2:' || code or starts_with(form, code || ':')
         or (starts_with(form, 'any:') and (code = any (string_to_array(substr(form, 5), ','))
                                            or right(form, 1) = '*' and starts_with(code, rtrim(substr(form, 5), '*'))))
  from (select regexp_replace(stored, '^(4:)?(3:)?', '') as form) s $$;

-- Applies a changed calendar or time zone: sets the timers that count working days anew, and makes the runs due that wait for a
-- window of working days. The limit is far above what usually waits; a run beyond it waits for the old opening first.
create function adapt_to_calendar() returns trigger language plpgsql as $$
begin
  new.calendar_changed_at := clock_timestamp();
  insert into timer_scans as s (business_id, workflow_id, plan, since)
  select w.business_id, w.guid, w.timer_plan, clock_timestamp()
  from workflows w
  where w.business_id = new.guid and w.deleted_at is null and w.trigger_code ~ '^(4:)?timer:.*:workdays$'
  on conflict (business_id, workflow_id) do update set position = excluded.position;
  with waiting as materialized (
    select q.ctid as place
    from workflows w
    join run_queue q on q.business_id = w.business_id and q.workflow_id = w.guid
    where w.business_id = new.guid and w.time_window @> '{"workdays": true}'
      and q.code = 'WINDOW' and q.status in ('waiting', 'retrying')
    order by q.guid limit 50000 for update of q skip locked
  )
  update run_queue q set due_at = now() from waiting w where q.ctid = w.place and q.business_id = new.guid;
  if found then perform pg_notify('waybill_queue', ''); end if;
  return new;
end $$;
-- By its name it comes before the triggers that lock the row of the workflows' epoch, for which all changes of workflows wait.
create trigger adapt_to_calendar before update on businesses for each row
  when ((old.workdays, old.holidays, old.timezone) is distinct from (new.workdays, new.holidays, new.timezone))
  execute function adapt_to_calendar();
create trigger advance_epoch_of_calendar before update on businesses for each row
  when ((old.workdays, old.holidays) is distinct from (new.workdays, new.holidays)) execute function advance_workflow_epoch();
