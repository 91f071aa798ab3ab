-- Workflows, their runs, and what drives them.

create table workflows (
  business_id    uuid not null references businesses,
  guid           uuid not null default gen_random_uuid(),
  name           text not null check (name <> ''),
  entity_type    smallint not null check (entity_type between 0 and 3),
  trigger_code   text not null,
  action         jsonb not null,      -- as the action's check returned it, without secrets
  conditions     jsonb not null default '{}',
  is_active      boolean not null default true,
  is_managed     boolean not null default false,
  ordered        boolean not null default false,
  delay          text,                -- ISO 8601
  paused_reason  text,                -- not null: paused
  paused_at      timestamptz,
  version        integer not null default 1,
  active_since   timestamptz not null default now(),  -- older events are not matched
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  deleted_at     timestamptz,
  epoch          bigint not null default 0,
  sealed_credentials bytea,           -- actions::Credentials of the headers that the action shows as stars
  primary key (business_id, guid),
  constraint workflows_pause_whole check ((paused_reason is null) = (paused_at is null))
);

create index workflows_by_epoch on workflows (epoch);

create table workflow_versions (
  business_id  uuid not null,
  workflow_id  uuid not null,
  version      integer not null,
  definition   jsonb not null,  -- name, trigger, action, conditions, ordered, delay
  created_at   timestamptz not null default now(),
  primary key (business_id, workflow_id, version)
);

-- What a version keeps of a workflow.
create function workflow_definition(w workflows) returns jsonb language sql stable as $$
  select jsonb_build_object('name', w.name, 'entityType', w.entity_type, 'trigger', w.trigger_code, 'action', w.action,
                            'conditions', w.conditions, 'ordered', w.ordered, 'delay', w.delay) $$;

create table workflow_secrets (
  business_id  uuid not null,
  workflow_id  uuid not null,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,          -- of a rotated one
  sealed       bytea not null,
  primary key (business_id, workflow_id, created_at)
);

-- When a workflow was switched on and off, which tells why it did not fire for an event of then.
create table workflow_switches (
  business_id  uuid not null,
  workflow_id  uuid not null,
  at           timestamptz not null default clock_timestamp(),
  is_active    boolean not null,
  primary key (business_id, workflow_id, at)
);
create function record_workflow_switch() returns trigger language plpgsql as $$
begin
  insert into workflow_switches (business_id, workflow_id, is_active) values (new.business_id, new.guid, new.is_active);
  return null;
end $$;
create trigger switched_on_or_off after insert or update of is_active on workflows for each row
  execute function record_workflow_switch();

-- Grows with every change of a workflow, in the same transaction, and stamps the workflow: the matcher reads it in the
-- snapshot in which it reads events, so that no event is matched with workflows older than it. Who writes a secret also
-- updates its workflow.
create table workflow_epoch (
  only_row  boolean primary key default true check (only_row),
  epoch     bigint not null
);
insert into workflow_epoch (epoch) values (1);

create function advance_workflow_epoch() returns trigger language plpgsql as $$
begin
  update workflow_epoch set epoch = epoch + 1 returning epoch into new.epoch;
  perform pg_notify('waybill_workflows', '');
  return new;
end $$;
create trigger epoch before insert or update on workflows for each row execute function advance_workflow_epoch();

-- A business's name is shown to its workflows' templates.
create function touch_business_workflows() returns trigger language plpgsql as $$
begin
  update workflows set updated_at = updated_at where business_id = new.guid;
  return null;
end $$;
create trigger workflow_names after update of name on businesses for each row
  when (old.name is distinct from new.name) execute function touch_business_workflows();

-- Open runs that the fast path did not finish: retries, delays, holds, slow tries.
create table run_queue (
  business_id       uuid not null,
  guid              uuid not null,
  workflow_id       uuid not null,
  workflow_version  integer not null,
  event_id          bigint not null,
  entity_type       smallint not null,
  entity_id         uuid not null,
  trigger_code      text not null,
  action            text not null,  -- its type
  status            text not null check (status in ('waiting', 'queued', 'running', 'retrying', 'held')),
  code              text,
  error             text,
  attempts          integer not null default 0,
  created_at        timestamptz not null,
  due_at            timestamptz not null,
  lease_owner       uuid check (lease_owner is null or status = 'running'),  -- the worker that has it until due_at
  origin            uuid not null,   -- the run that first had this webhook-id
  replay_of         uuid,
  destination       text not null default '',
  ordered           boolean not null default false,  -- waits for the earlier runs of its workflow for its record
  request           text not null,  -- JSON; what the action does, but for:
  body              text,
  tries             text not null default '[]',
  primary key (business_id, guid)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- Claims take a share of each destination. A running row is due when its lease ends.
create index run_queue_due on run_queue (destination, due_at) where status <> 'held';
create index run_queue_held on run_queue (business_id, workflow_id) where status = 'held';
create index run_queue_by_workflow on run_queue (business_id, workflow_id, guid);
-- Records come in no order: a run that is due finds its place among the few that are, not on a page of its own among all
-- that wait.
create index run_queue_by_entity on run_queue (business_id, entity_id, guid) where status <> 'waiting';
create index run_queue_waiting_by_entity on run_queue (business_id, entity_id, guid) where status = 'waiting';

-- Finished runs. Their guids sort by time, so the key also serves the list, newest first, of any workflow and status.
create table runs (
  business_id       uuid not null,
  guid              uuid not null,
  workflow_id       uuid not null,
  workflow_version  integer not null,
  event_id          bigint not null,
  entity_type       smallint not null,
  entity_id         uuid not null,
  trigger_code      text not null,
  action            text not null,  -- its type
  status            text not null check (status in ('succeeded', 'dead', 'skipped')),
  code              text,
  error             text,
  attempts          integer not null,
  created_at        timestamptz not null,
  finished_at       timestamptz not null,
  origin            uuid not null,
  replay_of         uuid,
  destination       text not null,
  request           text not null,  -- JSON; what the action does, but for:
  body              text,
  tries             text not null,
  primary key (business_id, guid, created_at) include (workflow_id, status)
) partition by range (created_at);
create index runs_by_entity on runs (business_id, entity_id, guid);
-- Those that are rare, and looked for.
create index runs_unsuccessful on runs (business_id, guid) include (workflow_id, status, created_at) where status <> 'succeeded';
create index runs_unsuccessful_by_workflow on runs (business_id, workflow_id, guid) include (status, created_at)
  where status <> 'succeeded';

-- How many finished runs there are, by the day and by the hour (UTC) of their creation: the sum of the rows, which the
-- writers of runs append and a duty folds.
create table run_counts (
  business_id  uuid not null,
  unit         text not null check (unit in ('day', 'hour')),
  start        timestamptz not null,
  workflow_id  uuid not null,
  status       text not null,
  runs         bigint not null
);
create index run_counts_by_start on run_counts (business_id, unit, start) include (workflow_id, status, runs);

create view all_runs as
  select business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action, status,
         code, error, attempts, created_at, null::timestamptz as next_attempt_at, finished_at, origin, replay_of, destination,
         request, body, tries
  from runs
  union all
  select business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action, status,
         code, error, attempts, created_at, case when status in ('waiting', 'queued', 'retrying') then due_at end, null,
         origin, replay_of, destination, request, body, tries
  from run_queue;

-- Daily partitions from `first` to `last`, and one for what falls outside. Safe to call again and from several sessions.
-- Nobody looks for what the rows hold as a whole, so analyze need not compare it; and nobody reads events by an index
-- alone, so vacuum need not read them all again for their insertion.
create function make_partitions(first date, last date) returns void language plpgsql as $$
declare
  parent text;
  day date;
  part text;
begin
  perform pg_advisory_xact_lock(hashtext('waybill.make_partitions'));
  foreach parent in array array['events', 'runs'] loop
    execute format('create table if not exists %I partition of %I default', parent || '_other', parent);
    for day in select generate_series(first, last, interval '1 day')::date loop
      part := parent || to_char(day, '_YYYYMMDD');
      if to_regclass(part) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)', part, parent,
                       day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
        if parent = 'events' then
          execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', part);
        end if;
        execute (select format('alter table %I ', part) || string_agg(format('alter %I set statistics 0', a.attname), ', ')
                 from pg_attribute a
                 where a.attrelid = part::regclass and a.attnum > 0
                   and (a.attname in ('cause', 'request', 'body', 'tries', 'error') or a.attname ~ '_(before|after)$'));
      end if;
    end loop;
  end loop;
end $$;
-- Drops the days before `oldest`, but no event that is not recorded; what status history the events hold is kept.
-- Answers what was dropped.
create function drop_partitions(oldest date) returns setof text language plpgsql as $$
declare
  part record;
  part_end timestamptz;
begin
  perform pg_advisory_xact_lock(hashtext('waybill.make_partitions'));
  for part in select c.relname as name, p.relname as parent
              from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
              where i.inhparent in ('events'::regclass, 'runs'::regclass) and c.relname ~ '_[0-9]{8}$'
                and to_date(right(c.relname, 8), 'YYYYMMDD') < oldest loop
    if part.parent = 'events' then
      part_end := (to_date(right(part.name, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC';
      continue when exists (select from pending_events where at < part_end);
      execute format('insert into status_history select (status_changes(e)).* from %I e where e.entity_type < 2', part.name);
    end if;
    if part.parent = 'runs' then
      delete from run_counts
      where (start at time zone 'UTC')::date = to_date(right(part.name, 8), 'YYYYMMDD');
    end if;
    execute format('drop table %I', part.name);
    return next part.name;
  end loop;
end $$;

select make_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);
