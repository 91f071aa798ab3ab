-- Runs: open ones in run_queue, finished ones in runs.

-- Open runs that the worker that matched their event did not finish at once: delays, retries, holds, slow attempts.
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
  lease_owner       uuid check (lease_owner is null or status = 'running'),  -- the worker that performs it until due_at
  origin            uuid not null,   -- the run that used this webhook-id first
  replay_of         uuid,
  destination       text not null default '',
  ordered           boolean not null default false,  -- waits for earlier runs of its workflow for the same record
  request           text not null,  -- JSON: the rendered action without its body; 'null': not rendered
  body              text,
  tries             text not null default '[]',  -- JSON: the attempts
  depth             integer,  -- number of changes by workflows that led to the event; null: see the event's cause
  primary key (business_id, guid)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- Claims take a share of each destination. A running row is due when its lease ends. The included status lets the queue be
-- counted by status with this index alone.
create index run_queue_due on run_queue (destination, due_at) include (status) where status <> 'held';
create index run_queue_held on run_queue (business_id, workflow_id) where status = 'held';
create index run_queue_by_workflow on run_queue (business_id, workflow_id, guid);
-- Guids of records are random. A separate index of the few rows that do not wait keeps its pages in memory, however many
-- rows wait.
create index run_queue_by_entity on run_queue (business_id, entity_id, guid) where status <> 'waiting';
create index run_queue_waiting_by_entity on run_queue (business_id, entity_id, guid) where status = 'waiting';

-- Finished runs. Their guids sort by time, so the primary key also serves the list of runs, newest first.
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
  request           text not null,  -- JSON: the rendered action without its body
  body              text,
  tries             text not null,  -- JSON: the attempts
  primary key (business_id, guid, created_at) include (workflow_id, status)
) partition by range (created_at);
create index runs_by_entity on runs (business_id, entity_id, guid);
-- Unsuccessful runs are few and often searched.
create index runs_unsuccessful on runs (business_id, guid) include (workflow_id, status, created_at)
  where status <> 'succeeded';
create index runs_unsuccessful_by_workflow on runs (business_id, workflow_id, guid) include (status, created_at)
  where status <> 'succeeded';
create index runs_dead on runs (business_id, workflow_id, finished_at) where status = 'dead';

-- Numbers of finished runs by day and by hour (UTC) of their creation: sums of `runs`. Workers add rows, and a duty sums
-- them up.
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

-- A webhook's headers as responses show them: values are hidden, except those of the names that actions/credentials.cpp
-- lists.
create function hidden_headers(headers json) returns json language sql immutable as $$
  select coalesce(json_object_agg(h.key, case when lower(h.key) in ('accept', 'accept-language', 'content-language',
                                                                    'content-type', 'user-agent')
                                              then h.value else to_json('********'::text) end), '{}')
  from json_each(headers) h $$;

-- An action's request and body as responses show them; for a push message also the current number of its subscriptions.
create function shown_request(business uuid, action text, request json, body text) returns json
language sql stable as $$
  select case
    when action = 'send_push' then
      json_build_object('title', request -> 'title', 'body', body, 'url', request -> 'url', 'subscriptions',
                        (select count(*) from push_audience(business, nullif(request ->> 'subscriptions', 'all')::uuid)))
    when action = 'push_tracking' then (request::jsonb - 'destination')::json
    when action = 'webhook' then
      json_build_object('url', request -> 'url', 'headers', hidden_headers(request -> 'headers'), 'body', body)
    when body is null then request
    else (request::jsonb || jsonb_build_object('body', body))::json
  end $$;
