-- Partitions are made and dropped one at a time, each in a transaction of its own when the service does it, so that one
-- that cannot be had now neither stops the others nor keeps the locks that they need. Every lock is waited for 200 ms at
-- most: a lock that waits makes everyone else wait behind it.

-- The days that a partition of this table holds.
create function partition_days(parent text) returns integer language sql immutable as $$
  select case parent when 'positions' then 7 else 1 end $$;

-- Makes the partition of `parent` (events, runs or positions) that begins with `first`, a Monday for positions, and moves
-- the rows there that the default partition holds for it. Returns false if it exists or if another session makes or drops
-- one. Nobody looks for what the rows of events and runs hold as a whole, so analyze need not compare it; and nobody reads
-- events by an index alone, so vacuum need not read them all again for their insertion.
create function make_partition(parent text, first date) returns boolean language plpgsql set lock_timeout to '200ms' as $$
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
  if not pg_try_advisory_xact_lock(hashtext('waybill.make_partitions')) or to_regclass(part) is not null then
    return false;
  end if;
  execute format('create table if not exists %I partition of %I default', other, parent);
  execute format('create table %I (like %I including all)', part, parent);
  if parent = 'events' then
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', part);
  end if;
  select string_agg(format('alter %I set statistics 0', a.attname), ', ') into unexamined
  from pg_attribute a
  where parent in ('events', 'runs') and a.attrelid = part::regclass and a.attnum > 0 and not a.attisdropped
    and (a.attname in ('cause', 'request', 'body', 'tries', 'error') or a.attname ~ '_(before|after)$');
  if unexamined is not null then
    execute format('alter table %I %s', part, unexamined);
  end if;
  execute move;  -- Writers and readers go on meanwhile.
  -- A writer that was on its way to the default partition would be refused there once its rows belong elsewhere, so writers
  -- wait from here on, before they have chosen a partition.
  execute format('lock table only %I in share row exclusive mode', parent);
  execute format('lock table only %I in access exclusive mode', other);
  execute move;  -- The rows written since.
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, starts, ends);
  return true;
end $$;

-- Drops a partition, but none of events with an event that is not recorded. The status changes of its events are kept.
-- Returns false if it stays.
create function drop_partition(part text) returns boolean language plpgsql set lock_timeout to '200ms' as $$
declare
  parent text := regexp_replace(part, '_[0-9]{8}$', '');
  first date := to_date(right(part, 8), 'YYYYMMDD');
begin
  if not pg_try_advisory_xact_lock(hashtext('waybill.make_partitions')) or to_regclass(part) is null then
    return false;
  end if;
  if parent = 'events'
     and exists (select from pending_events where at < (first + 1)::timestamp at time zone 'UTC') then
    return false;
  end if;
  -- Tries the locks first and gives them back, since the copy below takes time, in which readers go on.
  begin
    execute format('lock table only %I, only %I in access exclusive mode', part, parent);
    raise exception 'the locks can be had' using errcode = 'WB001';
  exception when sqlstate 'WB001' then null;
  end;
  if parent = 'events' then
    execute format('lock table only %I in exclusive mode', part);
    execute format('insert into status_history select s.* from only %I e, status_changes(e) s where e.entity_type < 2
                    on conflict do nothing', part);
  elsif parent = 'runs' then
    delete from run_counts where (start at time zone 'UTC')::date = first;
  end if;
  execute format('lock table only %I, only %I in access exclusive mode', part, parent);
  execute format('drop table %I', part);
  return true;
end $$;

-- The functions that earlier versions of the service call: one transaction for all, in which one that fails leaves the
-- others. Those that drop end with the first, for the locks of a drop stay until the transaction ends.
create function make_partitions_of(parents text[], first date, last date) returns void language plpgsql as $$
declare
  wanted record;
begin
  perform pg_advisory_xact_lock(hashtext('waybill.make_partitions'));
  for wanted in select parent, day::date
                from unnest(parents) parent, generate_series(first, last, interval '1 day' * partition_days(parent)) day loop
    begin
      perform make_partition(wanted.parent, wanted.day);
    exception when others then
      raise warning 'the partition of % for % is not made: %', wanted.parent, wanted.day, sqlerrm;
    end;
  end loop;
end $$;

create function drop_partitions_of(parents text[], oldest date) returns setof text language plpgsql as $$
declare
  part text;
begin
  for part in select c.relname
              from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
              where i.inhparent = any (parents::regclass[]) and c.relname ~ '_[0-9]{8}$'
                and to_date(right(c.relname, 8), 'YYYYMMDD') + partition_days(p.relname) <= oldest
              order by right(c.relname, 8), c.relname loop
    begin
      if drop_partition(part) then
        return next part;
        return;
      end if;
    exception when others then
      raise warning 'the partition % is not dropped: %', part, sqlerrm;
    end;
  end loop;
end $$;

create or replace function make_partitions(first date, last date) returns void language sql as $$
  select make_partitions_of(array['events', 'runs'], first, last) $$;

create or replace function drop_partitions(oldest date) returns setof text language sql as $$
  select drop_partitions_of(array['events', 'runs'], oldest) $$;

create or replace function make_position_partitions(first date, last date) returns void language sql as $$
  select make_partitions_of(array['positions'], date_trunc('week', first::timestamp)::date, last) $$;

create or replace function drop_position_partitions(oldest date) returns setof text language sql as $$
  select drop_partitions_of(array['positions'], oldest) $$;
