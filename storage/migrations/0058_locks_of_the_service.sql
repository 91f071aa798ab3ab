-- Locks that only the service can take. Every user of a database can take any of its advisory locks, and pg_locks shows their
-- keys. So no advisory lock decides who works: rows do, to which strangers have no right.

-- A session that has locked the row of a kind and slot has that lock. A lock on one of many things has the slot of its name
-- (work_slot). Two of them may share a slot; they then wait for each other.
create table work_locks (
  kind  text not null check (kind in ('partitions', 'idle_until', 'limits', 'rates', 'business_names', 'customer_uploads')),
  slot  integer not null,
  primary key (kind, slot)
);
insert into work_locks (kind, slot)
select kind, 0 from unnest(array['partitions', 'idle_until']) kind
union all
select kind, slot from unnest(array['limits', 'rates', 'business_names', 'customer_uploads']) kind, generate_series(0, 1023) slot;
analyze work_locks;  -- otherwise a statement reads all slots of a kind

create function work_slot(name text) returns integer language sql immutable strict as $$
  select (hashtextextended(name, 0) & 1023)::integer $$;

-- Sessions are known by the number of their server process and the time at which it began. True if one exists. The time of
-- another role's session can be hidden; then the number decides.
create function session_lives(pid integer, began_at timestamptz) returns boolean language sql stable as $$
  select exists (select from pg_stat_get_activity(session_lives.pid) a
                 where a.backend_start is null or a.backend_start = began_at) $$;

create function own_session_start() returns timestamptz language sql stable as $$
  select backend_start from pg_stat_get_activity(pg_backend_pid()) $$;

-- The session of a worker or process, which proves that it lives; null if it is of an earlier release.
alter table workers add column session_pid integer, add column session_start timestamptz;
alter table processes add column session_pid integer, add column session_start timestamptz;

-- True if the session of a worker exists. That of an earlier release has the advisory lock worker_lock instead.
create function worker_lives(worker uuid) returns boolean language sql volatile as $$
  select coalesce((select session_lives(w.session_pid, w.session_start) from workers w
                   where w.guid = worker and w.session_pid is not null),
                  not pg_try_advisory_xact_lock(worker_lock(worker))) $$;

create or replace function process_lives(process uuid) returns boolean language sql stable as $$
  select coalesce((select session_lives(p.session_pid, p.session_start) from processes p
                   where p.guid = process and p.session_pid is not null),
                  exists (select from pg_locks l
                          where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                            and l.database = (select d.oid from pg_database d where d.datname = current_database())
                            and ((l.classid::bigint << 32) | l.objid::bigint) = worker_lock(process))) $$;

-- True if a session with the rights of the owner of the tables has an advisory lock.
create function has_own_holder(key bigint) returns boolean language sql stable as $$
  select exists (select from pg_locks l join pg_stat_activity a on a.pid = l.pid
                 where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                   and l.database = (select d.oid from pg_database d where d.datname = current_database())
                   and ((l.classid::bigint << 32) | l.objid::bigint) = key
                   and pg_has_role(a.usesysid, (select c.relowner from pg_class c
                                                where c.oid = '@schema@.workers'::regclass), 'usage')) $$;

-- The background duties: the session that performs each now, and when it was last performed. A session that has ended, or has
-- had the turn for longer than ten minutes, has lost it.
create table duty_turns (
  duty           text primary key,
  session_pid    integer,             -- null: no session performs it
  session_start  timestamptz,
  taken_at       timestamptz,
  ended_at       timestamptz          -- null: it has never been performed
) with (fillfactor = 50);

-- Creates the partition of `parent` (events, runs or positions) that begins on `first`, a Monday for positions, and moves
-- the default partition's rows for these days into it. Returns false if the partition exists, or if another session creates
-- or drops one. No query compares whole records, causes, requests or bodies, so `analyze` skips these columns. No query
-- reads events by an index alone, so `vacuum` need not visit them after their insertion.
create or replace function make_partition(parent text, first date) returns boolean language plpgsql
set lock_timeout to '200ms' as $$
declare
  part text := parent || to_char(first, '_YYYYMMDD');
  other text := parent || '_other';
  starts timestamptz := first::timestamp at time zone 'UTC';
  ends timestamptz := (first + partition_days(parent))::timestamp at time zone 'UTC';
  move text := format('with held as (delete from only %1$I where %2$I >= %3$L and %2$I < %4$L returning *)
                       insert into %5$I select * from held',
                      other, case parent when 'runs' then 'created_at' else 'at' end, starts, ends, part);
  unexamined text;
begin
  perform from work_locks where kind = 'partitions' for update skip locked;
  if not found or to_regclass(part) is not null then
    return false;
  end if;
  execute format('create table if not exists %I partition of %I default', other, parent);
  execute format('create table %I (like %I including all)', part, parent);
  if parent = 'events' then
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', part);
  end if;
  execute format('alter table %I set (autovacuum_analyze_scale_factor = 1)', part);
  select string_agg(format('alter %I set statistics 0', a.attname), ', ') into unexamined
  from pg_attribute a
  where parent in ('events', 'runs') and a.attrelid = part::regclass and a.attnum > 0 and not a.attisdropped
    and (a.attname in ('cause', 'request', 'body', 'tries', 'error') or a.attname ~ '_(before|after)$');
  if unexamined is not null then
    execute format('alter table %I %s', part, unexamined);
  end if;
  execute move;  -- writers and readers continue meanwhile
  -- A writer that has already chosen the default partition would fail there once its rows belong to the new one. So the
  -- first lock stops writers before they choose a partition.
  execute format('lock table only %I in share row exclusive mode', parent);
  execute format('lock table only %I in access exclusive mode', other);
  execute move;  -- rows written since
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, starts, ends);
  return true;
end $$;

-- Drops a partition. Keeps the status changes of its events. Returns false if it does not exist, if another session creates
-- or drops one, or if it is of events and a worker has not recorded all events up to its end. A transaction that has written
-- to the partition holds its lock, so the events are examined after the partition is locked against writers.
create or replace function drop_partition(part text) returns boolean language plpgsql set lock_timeout to '200ms' as $$
declare
  parent text := regexp_replace(part, '_[0-9]{8}$', '');
  first date := to_date(right(part, 8), 'YYYYMMDD');
begin
  perform from work_locks where kind = 'partitions' for update skip locked;
  if not found or to_regclass(part) is null then
    return false;
  end if;
  -- Takes the locks as a test and releases them: the copy below takes time, and readers continue during it.
  begin
    execute format('lock table only %I, only %I in access exclusive mode', part, parent);
    raise exception 'the locks are available' using errcode = 'WB001';
  exception when sqlstate 'WB001' then null;
  end;
  if parent = 'events' then
    execute format('lock table only %I in exclusive mode', part);
    if exists (select from pending_events where at < (first + 1)::timestamp at time zone 'UTC') then
      return false;
    end if;
    execute format('insert into status_history select s.* from only %I e, status_changes(e) s where e.entity_type < 2
                    on conflict do nothing', part);
  elsif parent = 'runs' then
    delete from run_counts where (start at time zone 'UTC')::date = first;
  end if;
  execute format('lock table only %I, only %I in access exclusive mode', part, parent);
  execute format('drop table %I', part);
  return true;
end $$;

-- For scripts: all partitions of a range of days in one transaction. If one fails, the others are still created. A call
-- drops at most one partition, because the locks of a drop last until the transaction ends.
create or replace function make_partitions_of(parents text[], first date, last date) returns void language plpgsql as $$
declare
  wanted record;
begin
  perform from work_locks where kind = 'partitions' for update;
  for wanted in select parent, day::date
                from unnest(parents) parent, generate_series(first, last, interval '1 day' * partition_days(parent)) day loop
    begin
      perform make_partition(wanted.parent, wanted.day);
    exception when others then
      raise warning 'the partition of % for % is not created: %', wanted.parent, wanted.day, sqlerrm;
    end;
  end loop;
end $$;

-- Lets runs begin, in the order of the arrays, as far as fewer than `counts` runs with their value have begun within the
-- last `periods`. Returns the runs that may not begin: those whose limit is reached, and those whose row another session has
-- locked. A run that has begun is not counted again; a run without a row is not limited. The lock makes the runs of a workflow
-- wait for each other until the transaction ends. So times and numbers grow together, and the number of the last run less that
-- of the oldest within the period tells how many have begun; only runs without a number are counted one by one.
create or replace function begin_within_limits(businesses uuid[], workflows uuid[], runs uuid[], counts integer[],
                                               periods interval[])
returns table (run uuid, is_locked boolean) language plpgsql as $$
declare
  wanted record;
  own_value bytea;
  present timestamptz;
  oldest record;
  newest record;
  begun bigint;
  begins_at timestamptz;
begin
  perform from work_locks
  where kind = 'limits' and slot = any (array(select work_slot(w.id::text) from unnest(workflows) w (id)))
  order by slot for update;
  for wanted in select * from unnest(businesses, workflows, runs, counts, periods) w (business, workflow, run, count, period)
  loop
    select l.value into own_value from limited_runs l
    where l.business_id = wanted.business and l.run = wanted.run and l.begun_at is null;
    continue when not found;
    present := clock_timestamp();
    select l.begun_at, l.number into newest from limited_runs l
    where l.workflow_id = wanted.workflow and l.value = own_value and l.begun_at is not null
    order by l.begun_at desc limit 1;
    select l.begun_at, l.number into oldest from limited_runs l
    where l.workflow_id = wanted.workflow and l.value = own_value and l.begun_at > present - wanted.period
    order by l.begun_at limit 1;
    if oldest.begun_at is null then
      begun := 0;
    elsif oldest.number is not null then
      begun := newest.number - oldest.number + 1;
    else
      select count(*) into begun
      from (select from limited_runs l
            where l.workflow_id = wanted.workflow and l.value = own_value and l.begun_at > present - wanted.period
            limit wanted.count) l;
    end if;
    run := wanted.run;
    is_locked := false;
    if begun >= wanted.count then
      return next;
      continue;
    end if;
    begins_at := greatest(present, newest.begun_at + interval '1 microsecond');  -- also if the clock was set back
    update limited_runs l
    set begun_at = begins_at, expires_at = begins_at + wanted.period, number = coalesce(newest.number, begun) + 1
    from (select f.ctid as place from limited_runs f
          where f.business_id = wanted.business and f.run = wanted.run for update skip locked) free
    where l.ctid = free.place;
    if not found then
      is_locked := true;
      return next;
    end if;
  end loop;
end $$;

-- Stores the end of the last lease of all idle workers. Two sessions that compute it at once would not see each other's rows.
-- So rows of worker_words wait for their turn. Rows of worker_beats do not, because a lease must not wait: each worker adds the
-- next one within a second.
create or replace function store_idle_until() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'worker_words' then
    perform from @schema@.work_locks where kind = 'idle_until' for update;
  else
    perform from @schema@.work_locks where kind = 'idle_until' for update skip locked;
    if not found then return null; end if;
  end if;
  perform setval('@schema@.idle_until', coalesce(
    (select ceil(extract(epoch from max(b.expires_at)))::bigint
     from @schema@.workers w,
          lateral (select o.idle from @schema@.worker_words o where o.worker = w.guid order by o.id desc limit 1) o,
          lateral (select b.expires_at from @schema@.worker_beats b where b.worker = w.guid order by b.id desc limit 1) b
     where o.idle), 0));
  return null;
end $$;
