-- Timers of workflows. A workflow with a timer has the trigger code `timer:ENTITY.FIELD:OFFSET`, which earlier versions
-- cannot read, so they hold it.

-- The version of the workflow that last changed the field or the offset, and the time of that change. Null without a timer.
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

-- Runs without an event have a negative event_id, each its own, so that pairs of event and workflow stay unique.
create sequence eventless_ids as bigint minvalue -9223372036854775808 maxvalue -1 start -9223372036854775808;

create function plan_workflow_timer() returns trigger language plpgsql as $$
begin
  if not starts_with(new.trigger_code, 'timer:') then
    new.timer_plan := null;
    new.timer_since := null;
  elsif tg_op = 'INSERT' or new.trigger_code <> old.trigger_code or new.entity_type <> old.entity_type then
    new.timer_plan := new.version;
    new.timer_since := clock_timestamp();
    insert into timer_scans as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update set plan = excluded.plan, position = excluded.position;
  end if;
  return new;
end $$;
create trigger plan_timer before insert or update of trigger_code, entity_type on workflows for each row
  execute function plan_workflow_timer();

-- Also counts the workflows with a timer, by the code `timer`.
create or replace function meets_trigger(stored text, code text) returns boolean language sql immutable as $$
  select stored = code or stored = '2:' || code or starts_with(stored, code || ':')
         or (starts_with(stored, 'any:') and (code = any (string_to_array(substr(stored, 5), ','))
                                              or right(stored, 1) = '*' and starts_with(code, rtrim(substr(stored, 5), '*')))) $$;
