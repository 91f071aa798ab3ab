-- Partitions of events and runs (by day) and of positions (by week). Rows of days without a partition go to the table's
-- default partition, TABLE_other. The service creates and drops each partition in a separate transaction, so a failure does
-- not affect the others. Locks time out after 200 ms, because other sessions queue behind a session that waits for one.

-- The number of days in a partition of this table.
create function partition_days(parent text) returns integer language sql immutable as $$
  select case parent when 'positions' then 7 else 1 end $$;

-- Creates the partition of `parent` (events, runs or positions) that begins on `first`, a Monday for positions, and moves
-- the default partition's rows for these days into it. Returns false if the partition exists, or if another session creates
-- or drops one. No query compares whole records, causes, requests or bodies, so `analyze` skips these columns. No query
-- reads events by an index alone, so `vacuum` need not visit them after their insertion.
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
-- or drops one, or if it is of events and a worker has not recorded all events up to its end.
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
  -- Takes the locks as a test and releases them: the copy below takes time, and readers continue during it.
  begin
    execute format('lock table only %I, only %I in access exclusive mode', part, parent);
    raise exception 'the locks are available' using errcode = 'WB001';
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

-- For scripts: all partitions of a range of days in one transaction. If one fails, the others are still created. A call
-- drops at most one partition, because the locks of a drop last until the transaction ends.
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
      raise warning 'the partition of % for % is not created: %', wanted.parent, wanted.day, sqlerrm;
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

create function make_partitions(first date, last date) returns void language sql as $$
  select make_partitions_of(array['events', 'runs'], first, last) $$;

create function drop_partitions(oldest date) returns setof text language sql as $$
  select drop_partitions_of(array['events', 'runs'], oldest) $$;

create function make_position_partitions(first date, last date) returns void language sql as $$
  select make_partitions_of(array['positions'], date_trunc('week', first::timestamp)::date, last) $$;

create function drop_position_partitions(oldest date) returns setof text language sql as $$
  select drop_partitions_of(array['positions'], oldest) $$;

-- The owner alone creates and drops partitions.
revoke execute on function make_partition(text, date), drop_partition(text), make_partitions_of(text[], date, date),
  drop_partitions_of(text[], date), make_partitions(date, date), drop_partitions(date), make_position_partitions(date, date),
  drop_position_partitions(date) from public;

select make_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);
select make_position_partitions((now() at time zone 'UTC')::date - 28, (now() at time zone 'UTC')::date + 14);
