-- Silent workflows: the usual firings of a workflow, and the time since which it fires less.

-- The firings of a paused workflow, whose runs are held: they are usual, too. Earlier binaries do not count them. `last_at`
-- is when the last firing of the hour was counted, at most a minute later.
alter table workflow_firings add column held bigint not null default 0, add column last_at timestamptz;
alter table workflow_firings drop constraint workflow_firings_count_check;
alter table workflow_firings add constraint workflow_firings_count_check check (count >= 0 and held >= 0 and count + held > 0);

-- The matched events of each business, by hour and entity type. Workers add to them once a minute; a crash loses the last
-- minute.
create table matched_events (
  business_id  uuid not null,
  hour         timestamptz not null,
  orders       bigint not null,
  shipments    bigint not null,
  customers    bigint not null,
  products     bigint not null,
  primary key (business_id, hour)
) with (fillfactor = 70);
create index matched_events_by_hour on matched_events (hour);

-- The expected firings of each workflow.
create table workflow_watches (
  business_id    uuid not null,
  workflow_id    uuid not null,
  version        integer not null,      -- the newest version whose conditions have been compared
  learned_since  timestamptz not null,  -- triggers and conditions have not changed since
  due_at         timestamptz not null default now(),  -- the next look at its firings
  expected_from  bigint,                -- usual firings of the hour of the last look and the 24 before it; null: not known
  expected_to    bigint,
  silent_since   timestamptz,           -- null: not silent
  silence        jsonb,                 -- of a silent one: {"count", "expected": {"from", "to"}}
  primary key (business_id, workflow_id)
) with (fillfactor = 70);
create index workflow_watches_due on workflow_watches (due_at);

alter table alerts drop constraint alerts_cause_check;
alter table alerts add constraint alerts_cause_check
  check (cause in ('run_dead', 'workflow_paused', 'import_failed', 'destination_down', 'workflow_silent'));

-- The number of an hour of a zone's wall clock.
create function wall_hour(at timestamptz, zone text) returns bigint language sql stable parallel safe as $$
  select floor(extract(epoch from at at time zone zone) / 3600)::bigint $$;
