-- Statistics of runs, authors of versions, and the feed of events.

-- Latencies of the succeeded runs of a count, from the event to the success: {"BUCKET": RUNS}, see latency_bucket; and the
-- creation of the newest run of a count. Null in counts that earlier versions wrote.
alter table run_counts add column latencies jsonb, add column newest_at timestamptz;

-- The bucket of a latency. Bucket n ends at 2^(n/8) milliseconds, so a bucket is 9 % wide.
-- storage/run_rows.cpp computes the same.
create function latency_bucket(latency interval) returns integer language sql immutable as $$
  select greatest(0, ceil(8 * ln(greatest(extract(epoch from latency) * 1000, 1)) / ln(2.0)))::integer $$;

-- The author of a version, as in events; null for versions that earlier versions of the service made.
alter table workflow_versions add column author jsonb;
alter table workflow_versions alter column author set default (event_cause() -> 'by');

-- The feed reads a business's events in the order of their ids. The past days have no writers, so their indexes are built
-- first, and the present day's last: writers wait only for that one.
create index events_by_business on only events (business_id, id);
do $$
declare
  part record;
begin
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'events'::regclass
              order by c.relname = to_char(now() at time zone 'UTC', '"events_"YYYYMMDD'), c.relname loop
    execute format('create index %I on %I (business_id, id)', part.relname || '_business_id_id_idx', part.relname);
    execute format('alter index events_by_business attach partition %I', part.relname || '_business_id_id_idx');
  end loop;
end $$;

-- The transaction that wrote an event. Null in events of earlier versions, all of which were committed before this one.
alter table events add column xid xid8;
alter table events alter column xid set default pg_current_xact_id();
