-- A cheaper check whether a worker waits for a NOTIFY, and a cheaper event trigger of statements that change one order
-- (docs/decisions/0047).

-- Writers wake workers until this time, in whole seconds since 1970-01-01 00:00 UTC; 0 if no worker is idle. A sequence has one
-- value instead of row versions, so reading it takes the same time whatever snapshots are open. A new value counts before its
-- transaction commits, and is not undone by a rollback; the next row of worker_beats corrects it.
create sequence idle_until minvalue 0;

-- Stores the end of the last lease of all idle workers. Two sessions that compute it at once would not see each other's rows.
-- So rows of worker_words wait for their turn. Rows of worker_beats do not, because a lease must not wait: each worker adds the
-- next one within a second.
create function store_idle_until() returns trigger language plpgsql as $$
declare
  lock bigint := hashtextextended('waybill.idle_until', 0);
begin
  if tg_table_name = 'worker_words' then
    perform pg_advisory_xact_lock(lock);
  elsif not pg_try_advisory_xact_lock(lock) then
    return null;
  end if;
  perform setval('@schema@.idle_until', coalesce(
    (select ceil(extract(epoch from max(b.expires_at)))::bigint
     from @schema@.workers w,
          lateral (select o.idle from @schema@.worker_words o where o.worker = w.guid order by o.id desc limit 1) o,
          lateral (select b.expires_at from @schema@.worker_beats b where b.worker = w.guid order by b.id desc limit 1) b
     where o.idle), 0));
  return null;
end $$;
revoke execute on function store_idle_until() from public;
create trigger store_idle_until after insert on worker_words
  for each statement execute function store_idle_until();
create trigger store_idle_until after insert on worker_beats
  for each statement execute function store_idle_until();

-- True if a live worker waits for a NOTIFY. Busy workers get none, because it takes a lock of the whole database at
-- commit. With waybill.notify = off (for a role or database), idle workers find the event when they look next. PostgreSQL
-- inlines this body, because the function is volatile like pg_sequence_last_value. The writer's search_path changes no name: all
-- are qualified, and `double precision` is a keyword, which `float8` is not.
create or replace function is_notify_due() returns boolean language sql volatile as $$
  select coalesce(pg_catalog.current_setting('waybill.notify', true), '') operator(pg_catalog.<>) 'off'
         and coalesce(pg_catalog.pg_sequence_last_value('@schema@.idle_until'), 0)::double precision
             operator(pg_catalog.>) pg_catalog.date_part('epoch', pg_catalog.now()) $$;

-- The event of an order that changed, its row in pending_events, and the changes of the numbers of records. Every function and
-- operator is qualified, as in 0009_event_triggers.sql. Changes of deleted orders are no events.
create or replace function record_order_update() returns trigger language plpgsql security definer as $$
declare
  before @schema@.orders := case when old.deleted_at is null then old end;
  after @schema@.orders := case when new.deleted_at is null then new end;
  event record;
begin
  insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
  values (new.business_id, new.guid, 0, @schema@.event_cause(), before, after)
  returning id, at into event;
  insert into @schema@.pending_events (shard, id, business_id, at)
  values (@schema@.shard_of(new.business_id), event.id, new.business_id, event.at);
  if coalesce(before.status, '') operator(pg_catalog.<>) coalesce(after.status, '') then
    insert into @schema@.status_counts (business_id, entity_type, status_before, status_after, records)
    values (new.business_id, 0, before.status, after.status, 1);
  end if;
  if (old.deleted_at is null) operator(pg_catalog.<>) (new.deleted_at is null) then
    insert into @schema@.record_counts (business_id, entity_type, delta)
    values (new.business_id, 0, case when new.deleted_at is null then 1 else -1 end);
  end if;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
drop trigger event_update on orders;
create trigger event_update after update on orders for each row
  when (old.deleted_at is null or new.deleted_at is null) execute function record_order_update();

-- Deletes the label of a shipment that no carrier will scan again. The trigger ran for each statement that changed shipments.
create or replace function trace_updated_shipments() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  delete from shipment_labels where business_id = new.business_id and shipment_id = new.guid;
  return null;
end $$;
drop trigger trace_update on shipments;
create trigger trace_update after update on shipments for each row
  when (new.deleted_at is not null or new.status in ('delivered', 'returned', 'cancelled'))
  execute function trace_updated_shipments();
