-- Jobs: calls that are answered at once and performed afterwards by an API process.

-- A job has no personal data: the call, which can have some, is sealed in job_contents and is deleted when the job ends.
create table jobs (
  business_id  uuid not null,
  guid         uuid not null,                   -- version 7, so it sorts by time
  kind         text not null check (kind in ('import', 'upload', 'replay', 'cancel', 'erasure', 'export', 'backtest')),
  operation    text not null,                   -- the operation id of the call
  role         text not null,                   -- the lowest role that may make the call
  status       text not null default 'running' check (status in ('running', 'done', 'failed', 'cancelled')),
  stop         text check (stop in ('CANCELLED', 'ERASED')),  -- why it shall end before it is done
  place        text,                            -- where the next portion begins; null: at the beginning
  done         bigint not null default 0,
  total        bigint,                          -- null: unknown
  started_at   timestamptz(3) not null default now(),
  finished_at  timestamptz(3),
  result       jsonb,
  error        jsonb,                           -- {code, message, details}
  file_bytes   bigint,                          -- the size of its file; null if it has none
  file_until   timestamptz(3),
  failures     integer not null default 0,      -- attempts that have begun and neither ended nor released it on purpose
  due_at       timestamptz,                     -- the next attempt; null once it has ended
  lease_owner  uuid,                            -- of the attempt under way
  lease_until  timestamptz,
  primary key (business_id, guid),
  check ((lease_owner is null) = (lease_until is null)),
  check ((status = 'running') = (finished_at is null)),
  check ((status = 'running') = (due_at is not null))
) with (fillfactor = 70);
create index jobs_due on jobs (due_at) where status = 'running';
create index jobs_open on jobs (business_id) where status = 'running';
create index jobs_by_start on jobs (started_at);
create index jobs_with_file on jobs (file_until) where file_until is not null;

-- The sealed call of a job, and the sealed file of its result, in parts. They are read by their keys alone, so that a list of
-- jobs reads none of these large rows.
create table job_contents (
  business_id  uuid not null,
  job_id       uuid not null,
  name         text not null,                   -- "call/000", "file/000", ... : the parts in order
  bytes        bytea not null,                  -- sealed
  primary key (business_id, job_id, name),
  foreign key (business_id, job_id) references jobs on delete cascade
);
alter table job_contents alter column bytes set storage external;
