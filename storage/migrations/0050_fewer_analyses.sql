-- Partitions are analyzed when they have doubled, instead of when they have grown by a tenth. One analysis reads 30 000 rows,
-- wherever they are, and a busy day's partitions of events and runs were analyzed every ten seconds. What the planner uses
-- (frequent workflows, statuses and businesses) hardly changes while a day's partition grows, and PostgreSQL scales the number
-- of rows with the size of the table (docs/decisions/0022).

select pg_advisory_xact_lock(hashtext('waybill.make_partitions'));

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
  if not pg_try_advisory_xact_lock(hashtext('waybill.make_partitions')) or to_regclass(part) is not null then
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

do $$
declare
  part regclass;
begin
  for part in select inhrelid::regclass from pg_inherits
              where inhparent in ('events'::regclass, 'runs'::regclass, 'run_step_texts'::regclass, 'positions'::regclass) loop
    execute format('alter table %s set (autovacuum_analyze_scale_factor = 1)', part);
  end loop;
end $$;
