-- Limits that take the same time for each number of runs and do not wait for rows that other sessions have locked; partitions
-- that are dropped only after all their writers have ended.

-- The runs with one value are numbered in the order in which they begin. Null: the run has not begun, or it began before this
-- migration.
alter table limited_runs add column number bigint;

-- Lets runs begin, in the order of the arrays, as far as fewer than `counts` runs with their value have begun within the
-- last `periods`. Returns the runs that may not begin: those whose limit is reached, and those whose row another session has
-- locked. A run that has begun is not counted again; a run without a row is not limited. The lock makes the runs of a workflow
-- wait for each other until the transaction ends. So times and numbers grow together, and the number of the last run less that
-- of the oldest within the period tells how many have begun; only runs without a number are counted one by one.
create function begin_within_limits(businesses uuid[], workflows uuid[], runs uuid[], counts integer[], periods interval[])
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
  perform pg_advisory_xact_lock(hashtextextended('waybill.limit.' || w.id, 0))
  from (select distinct id from unnest(workflows) w (id) order by id) w;
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

-- For workers of earlier releases, which end the runs that it returns.
create or replace function begin_limited_runs(businesses uuid[], workflows uuid[], runs uuid[], counts integer[],
                                              periods interval[])
returns setof uuid language plpgsql as $$
declare
  refused record;
begin
  for refused in select r.run, r.is_locked from begin_within_limits(businesses, workflows, runs, counts, periods) r loop
    if refused.is_locked then
      raise exception 'another session has locked a run' using errcode = 'lock_not_available';
    end if;
    return next refused.run;
  end loop;
end $$;

-- Drops a partition. Keeps the status changes of its events. Returns false if it does not exist, if another session creates
-- or drops one, or if it is of events and a worker has not recorded all events up to its end. A transaction that has written
-- to the partition holds its lock, so the events are examined after the partition is locked against writers.
create or replace function drop_partition(part text) returns boolean language plpgsql set lock_timeout to '200ms' as $$
declare
  parent text := regexp_replace(part, '_[0-9]{8}$', '');
  first date := to_date(right(part, 8), 'YYYYMMDD');
begin
  if not pg_try_advisory_xact_lock(hashtext('waybill.make_partitions')) or to_regclass(part) is null then
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
