-- What workers publish about the destinations of their attempts, for GET /api/destinations, and what /operator shows.

-- The last report of a worker about a destination of a business. Only the worker writes it; its counts are all of the worker's.
create table destination_reports (
  business_id    uuid not null,
  kind           text not null check (kind in ('webhook', 'push', 'mail', 'store', 'carrier', 'others')),
  name           text not null,         -- host and port; 'others': those beyond a business's limit
  worker         uuid not null,
  places         integer not null,      -- attempts that may be in flight
  next_probe_at  timestamptz,           -- of an open circuit breaker; null: it is closed
  counted_from   timestamptz not null,  -- the begin of the newest of the 5 minutes that are counted
  succeeded      integer[] not null,    -- attempts in 5 minutes each, the newest first
  failed         integer[] not null,
  durations      integer[] not null,    -- attempts by class of duration, in the half hour of counted_from, then in the one before
  workflows      uuid[] not null,
  published_at   timestamptz not null default now(),
  primary key (business_id, kind, name, worker)
) with (fillfactor = 50);  -- no index has a column that changes, so that an update stays in its page

alter table processes add column version text;  -- of the program; null: one before this column

-- What the last checks of the ledger have found. Kept for 7 days.
create table ledger_findings (
  business_id  uuid not null,
  first_time   timestamptz not null,  -- the checked period
  end_time     timestamptz not null,
  found_at     timestamptz not null default now(),
  primary key (business_id, found_at)
);
