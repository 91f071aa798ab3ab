-- The stored form of a workflow's trigger can begin with the numbers of several formats (decision 36). SQL no longer names them.

-- The form without these numbers: `5:4:timer:order.createdAt:P2D` gives `timer:order.createdAt:P2D`.
create function unnumbered_form(stored text) returns text language sql immutable parallel safe as $$
  select regexp_replace(stored, '^(\d+:)+', '') $$;

-- Also plans a timer or a schedule that an earlier version of this function has not planned, because it knew fewer formats.
create or replace function plan_workflow_timer() returns trigger language plpgsql as $$
declare
  form text := unnumbered_form(new.trigger_code);
begin
  if not starts_with(form, 'timer:') and not starts_with(form, 'schedule:') then
    new.timer_plan := null;
    new.timer_since := null;
    return new;
  elsif tg_op = 'UPDATE' and form = unnumbered_form(old.trigger_code) and new.entity_type = old.entity_type
        and old.timer_plan is not null then
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
  select form = code or starts_with(form, code || ':')
         or (starts_with(form, 'any:') and (code = any (string_to_array(substr(form, 5), ','))
                                            or right(form, 1) = '*' and starts_with(code, rtrim(substr(form, 5), '*'))))
  from (select regexp_replace(unnumbered_form(stored), ':\{.*$', '') as form) s $$;

-- Applies a changed calendar or time zone: sets the timers that count working days anew, and makes the runs due that wait for a
-- window of working days. The limit is far above what usually waits; a run beyond it waits for the old opening first.
create or replace function adapt_to_calendar() returns trigger language plpgsql as $$
begin
  new.calendar_changed_at := clock_timestamp();
  insert into timer_scans as s (business_id, workflow_id, plan, since)
  select w.business_id, w.guid, w.timer_plan, clock_timestamp()
  from workflows w
  where w.business_id = new.guid and w.deleted_at is null and unnumbered_form(w.trigger_code) ~ '^timer:.*:workdays$'
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

-- The audit log also has `cancelOn`. The triggers named a column that does not exist.
do $$
declare
  audit record;
begin
  for audit in select pg_get_triggerdef(oid) as definition from pg_trigger
               where tgrelid = 'workflows'::regclass and tgname in ('audit_insert', 'audit_change') loop
    execute replace(replace(audit.definition, '''cancelOn=cancel_on''', '''cancel_on=cancelOn'''),
                    'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
  end loop;
end $$;

-- Plans the timers and schedules that were not planned. What was due before is not made up for.
update workflows set trigger_code = trigger_code
where deleted_at is null and timer_plan is null and unnumbered_form(trigger_code) ~ '^(timer|schedule):';
