-- A process whose role is a member of the tables' owner made partitions that the owner itself could not use.
do $$
declare
  part record;
begin
  for part in select c.oid::regclass as name, p.relowner::regrole as owner
              from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
              where c.relkind = 'r' and c.relowner <> p.relowner
                and p.relnamespace = (select relnamespace from pg_class where oid = 'businesses'::regclass)
  loop
    execute format('alter table %s owner to %s', part.name, part.owner);
  end loop;
end $$;

-- With logical replication PostgreSQL refuses to change or delete rows of a published table that has neither a primary key
-- nor another identity of its rows. These tables have no key: erasures, deletions and the folding of counts failed.
alter table own_data_changes replica identity full;
alter table record_counts replica identity full;
alter table run_counts replica identity full;
alter table status_counts replica identity full;

do $$
declare
  part regclass;
begin
  for part in select relid from pg_partition_tree('events') loop
    execute format('alter table %s replica identity full', part);
  end loop;
end $$;

-- As before, but a new partition has the owner of its table, and an identity of its rows.
create or replace function make_partition(parent text, first date) returns boolean language plpgsql
set lock_timeout = '200ms' as $$
declare
  part text := parent || to_char(first, '_YYYYMMDD');
  other text := parent || '_other';
  starts timestamptz := first::timestamp at time zone 'UTC';
  ends timestamptz := (first + partition_days(parent))::timestamp at time zone 'UTC';
  move text := format('with held as (delete from only %1$I where %2$I >= %3$L and %2$I < %4$L returning *)
                       insert into %5$I select * from held',
                      other, case parent when 'runs' then 'created_at' else 'at' end, starts, ends, part);
  unexamined text;
  owner regrole;
begin
  perform from work_locks where kind = 'partitions' for update skip locked;
  if not found or to_regclass(part) is not null then
    return false;
  end if;
  execute format('create table if not exists %I partition of %I default', other, parent);
  execute format('create table %I (like %I including all)', part, parent);
  select relowner into owner from pg_class where oid = parent::regclass and relowner <> current_user::regrole;
  if owner is not null then
    execute format('alter table %I owner to %s', part, owner);
  end if;
  if parent = 'events' then
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', part);
    execute format('alter table %I replica identity full', part);
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
