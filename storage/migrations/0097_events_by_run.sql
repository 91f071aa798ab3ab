-- The events that a run's changes made, for the effects of a run. No step keeps writers waiting for long: the days are indexed one
-- after the other, the present one last, because writers wait only for that. A day that is indexed stays so if the migration is
-- interrupted and runs again.

-- @step
create index if not exists events_by_run on only events (business_id, left(cause ->> 'run', 36), id) where cause ? 'run';

-- @step
do $$
declare
  part record;
  name text;
begin
  for part in select c.oid, c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'events'::regclass
              order by c.relname = to_char(now() at time zone 'UTC', '"events_"YYYYMMDD'), c.relname loop
    continue when exists (select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
                          where i.inhparent = 'events_by_run'::regclass and x.indrelid = part.oid);
    name := part.relname || '_business_id_left_id_idx';
    execute format('create index %I on %I (business_id, left(cause ->> ''run'', 36), id) where cause ? ''run''', name,
                   part.relname);
    execute format('alter index events_by_run attach partition %I', name);
    commit;
  end loop;
end $$;
