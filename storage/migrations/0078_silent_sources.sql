-- Silent sources: the usual number of what stores and carriers bring, and the time since which they bring less.

-- New and changed orders of an integration, and scans of the parcels of a carrier, by hour. Scans of parcels without a carrier
-- have the nil guid. A crash loses the last minute of scans.
create table source_counts (
  business_id  uuid not null,
  kind         text not null check (kind in ('import', 'scans')),
  source_id    uuid not null,  -- the integration or the carrier
  hour         timestamptz not null,
  count        bigint not null check (count > 0),
  last_at      timestamptz not null,
  primary key (business_id, kind, source_id, hour)
) with (fillfactor = 70);
create index source_counts_by_hour on source_counts (hour);

-- What each source usually brings.
create table source_watches (
  business_id    uuid not null,
  kind           text not null check (kind in ('import', 'scans')),
  source_id      uuid not null,
  learned_since  timestamptz not null,  -- the source is the same since
  due_at         timestamptz not null default now(),  -- the next look at its counts
  expected_from  bigint,       -- the usual number of the hour of the last look and the 24 before it; null: not known
  expected_to    bigint,
  silent_since   timestamptz,  -- null: not silent
  silence        jsonb,        -- of a silent one: {"count", "expected": {"from", "to"}}
  usual_since    timestamptz,  -- the end of the last silence
  primary key (business_id, kind, source_id)
) with (fillfactor = 70);
create index source_watches_due on source_watches (due_at);

-- A time that a later silence has does not reach back before it.
alter table workflow_watches add column usual_since timestamptz;

-- Imports read all new orders one after another since `sweeping_since`, the last time at `swept_at`. Earlier binaries
-- set neither.
alter table integrations add column sweeping_since timestamptz, add column swept_at timestamptz;

alter table alerts drop constraint alerts_cause_check;
alter table alerts add constraint alerts_cause_check
  check (cause in ('run_dead', 'workflow_paused', 'import_failed', 'destination_down', 'workflow_silent', 'import_silent',
                   'scans_silent'));

-- The hours of a business's wall clock in which nothing is expected, separated by spaces: those of its holidays in the last
-- three weeks and tomorrow, and an hour of the last two days that its clock skipped.
create function closed_hours(zone text, holidays jsonb) returns text language sql stable parallel safe as $$
  select coalesce(string_agg(c.hour::text, ' '), '')
  from (select ((d.day - date '1970-01-01') * 24 + h)::bigint as hour
        from (select (now() at time zone zone)::date - back as day from generate_series(-1, 22) back) d, generate_series(0, 23) h
        where holidays <> '[]' and holidays ? to_char(d.day, 'YYYY-MM-DD')
        union all
        select s.before + 1
        from (select wall_hour(t, zone) as hour, lag(wall_hour(t, zone)) over (order by t) as before
              from generate_series(date_trunc('hour', now()) - interval '49 hours', now(), interval '1 hour') t) s
        where s.hour = s.before + 2) c $$;
