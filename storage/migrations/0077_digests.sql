-- Digests: events that meet a workflow are collected, and one run begins for those of one digest. Such a workflow has the sixth
-- format, `6:TRIGGERS:JSON`, which earlier versions cannot read, so they hold it.

-- Digests whose run has not begun. Their guid is that of the run. Several of one value may be open at a time: a digest that
-- another session has locked takes no more events.
create table digests (
  business_id  uuid not null,
  guid         uuid not null,
  workflow_id  uuid not null,
  version      integer not null,       -- of the workflow, with which the run begins
  value_key    uuid not null,          -- a hash of `value`
  value        text not null,          -- JSON of the value by which events are collected
  shard        smallint not null,      -- of the business; due digests are found shard by shard
  began_at     timestamptz not null,   -- the time of its first event
  last_at      timestamptz not null,   -- the latest time of its events
  due_at       timestamptz not null,
  check_at     timestamptz not null,   -- due_at; later while no worker may close the digest
  count        integer not null,       -- items that were collected
  bytes        bigint not null,        -- of the list of items
  is_full      boolean not null,       -- it takes no more events
  primary key (business_id, guid)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index digests_open on digests (business_id, workflow_id, version, value_key) where not is_full;
create index digests_due on digests (shard, check_at) include (business_id);

-- The items of these digests, in the order of matching.
create table digest_items (
  business_id  uuid not null,
  digest_id    uuid not null,
  position     integer not null,
  entity_id    uuid not null,
  event_at     timestamptz not null,
  item         text not null,          -- JSON: the record as of the event, with `event` and `previous`
  primary key (business_id, digest_id, position)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index digest_items_of_record on digest_items (business_id, entity_id);

-- The digest of each collected event. The rows are kept as long as the run of the digest.
create table digest_events (
  business_id  uuid not null,
  event_id     bigint not null,
  event_at     timestamptz not null,
  workflow_id  uuid not null,
  entity_id    uuid not null,
  digest_id    uuid not null,
  at           timestamptz not null,            -- guid_time(digest_id)
  is_dropped   boolean not null default false,  -- the event is in no run: its workflow was deleted, or its person erased
  primary key (business_id, event_at, event_id, workflow_id, at)
) partition by range (at);
create index digest_events_of_digest on digest_events (business_id, digest_id);
create index digest_events_of_record on digest_events (business_id, entity_id);
create table digest_events_other partition of digest_events default;
alter table digest_events_other set (autovacuum_analyze_scale_factor = 1);
select make_partitions_of(array['digest_events'], (now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);

-- Workflows whose digests are to be closed: those that began before `version`, or all if the workflow is deleted. A row stays until
-- `until`, so that it also closes a digest that an event of the earlier version begins after the change.
create table digest_closings (
  business_id  uuid not null,
  workflow_id  uuid not null,
  version      integer not null,
  until        timestamptz not null default clock_timestamp() + interval '1 minute',
  primary key (business_id, workflow_id)
);

-- A new version closes the digests of the earlier ones; one that only switches the workflow on or off does not.
create function close_digests() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null and new.is_active <> old.is_active
     and (workflow_definition(new), new.time_window, new.run_limit, new.request_rate, new.sealed_credentials)
         is not distinct from (workflow_definition(old), old.time_window, old.run_limit, old.request_rate, old.sealed_credentials) then
    return null;
  end if;
  insert into digest_closings as c (business_id, workflow_id, version) values (new.business_id, new.guid, new.version)
  on conflict (business_id, workflow_id) do update set version = excluded.version, until = excluded.until;
  return null;
end $$;
create trigger close_digests after update on workflows for each row
  when (starts_with(old.trigger_code, '6:') and (old.version, old.deleted_at) is distinct from (new.version, new.deleted_at))
  execute function close_digests();

create or replace function meets_trigger(stored text, code text) returns boolean language sql immutable as $$
  select form = code or form = '2:' || code or starts_with(form, code || ':')
         or (starts_with(form, 'any:') and (code = any (string_to_array(substr(form, 5), ','))
                                            or right(form, 1) = '*' and starts_with(code, rtrim(substr(form, 5), '*'))))
  from (select regexp_replace(regexp_replace(stored, '^6:([^{]*):\{.*$', '\1'), '^(5:)?(4:)?(3:)?', '') as form) s $$;

-- The list of a digest's run without the items of some records.
create function list_without(list text, records uuid[]) returns text language sql immutable as $$
  select json_build_object('count', count(i.item), 'items', coalesce(json_agg(i.item order by i.n) filter (where i.item is not null), '[]'),
                           'by', list::json -> 'by')::text
  from (select 1) one
  left join json_array_elements(list::json -> 'items') with ordinality i (item, n)
    on (i.item ->> 'guid')::uuid <> all (records) $$;
