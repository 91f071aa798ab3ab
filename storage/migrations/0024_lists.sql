-- Numbers of orders and shipments by status, and an index for the search of shipments.
--
-- The steps run outside a transaction, so none of them keeps writers waiting. A migration that was interrupted runs all of
-- them again.

-- @step
-- Numbers of records by business, type and status, as differences: a row adds `records` to the status after and subtracts
-- them from the status before; null is no record. Writers add rows and a duty sums them up, as with record_counts.
create table if not exists status_counts (
  business_id    uuid not null,
  entity_type    smallint not null,
  status_before  text,
  status_after   text,
  records        bigint not null
);
create index if not exists status_counts_by_business on status_counts (business_id, entity_type);

-- @step
-- The trigger functions of 0009_event_triggers.sql and 0020_scans.sql, which now count by status as well.
create or replace function record_order_insert() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select n.business_id, n.guid, 0, @schema@.event_cause(),
           null, row(n.*)::@schema@.orders
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at, (order_after).status as status
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_after, records)
    select business_id, 0, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 0, pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
create or replace function record_order_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select n.business_id, n.guid, 0, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.orders end,
           case when n.deleted_at is null then row(n.*)::@schema@.orders end
    from new_rows n
    join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at, (order_before).status as status_before, (order_after).status as status_after
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_before, status_after, records)
    select business_id, 0, status_before, status_after, pg_catalog.count(*) from written
    where coalesce(status_before, '') operator(pg_catalog.<>) coalesce(status_after, '')
    group by business_id, status_before, status_after
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 0, pg_catalog.sum(case when status_before is null then 1 else -1 end) from written
  where (status_before is null) operator(pg_catalog.<>) (status_after is null) group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
create or replace function record_order_delete() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select o.business_id, o.guid, 0, @schema@.event_cause(),
           row(o.*)::@schema@.orders, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at, (order_before).status as status
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_before, records)
    select business_id, 0, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 0, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
create or replace function record_shipment_insert() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select n.business_id, n.guid, 1, @schema@.event_cause(),
           null, row(n.*)::@schema@.shipments
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at, (shipment_after).status as status
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_after, records)
    select business_id, 1, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
create or replace function record_shipment_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after, detail)
    select n.business_id, n.guid, 1, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.shipments end,
           case when n.deleted_at is null then row(n.*)::@schema@.shipments end, t.detail
    from new_rows n
    full join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    left join lateral (
      select pg_catalog.jsonb_build_object('trace', @schema@.trace_json(t)) as detail from @schema@.shipment_traces t
      where n.last_trace_id is distinct from o.last_trace_id
        and t.business_id operator(pg_catalog.=) n.business_id and t.shipment_id operator(pg_catalog.=) n.guid
        and t.id operator(pg_catalog.>) coalesce(
              case when n.status operator(pg_catalog.=) o.status then coalesce(
                o.last_trace_id, nullif(pg_catalog.current_setting('waybill.last_trace_id', true), '')::bigint) end,
              n.last_trace_id operator(pg_catalog.-) 1)
        and t.id operator(pg_catalog.<=) n.last_trace_id
      order by t.id
    ) t on true
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at, (shipment_before).status as status_before, (shipment_after).status as status_after
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_before, status_after, records)
    select business_id, 1, status_before, status_after, pg_catalog.count(*) from written
    where coalesce(status_before, '') operator(pg_catalog.<>) coalesce(status_after, '')
    group by business_id, status_before, status_after
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.sum(case when status_before is null then 1 else -1 end) from written
  where (status_before is null) operator(pg_catalog.<>) (status_after is null) group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
create or replace function record_shipment_delete() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select o.business_id, o.guid, 1, @schema@.event_cause(),
           row(o.*)::@schema@.shipments, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at, (shipment_before).status as status
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_before, records)
    select business_id, 1, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

-- @step
-- Waits until no transaction is open that has changed records without the functions above. Each attempt blocks writers for
-- at most 0.2 s.
do $$
begin
  loop
    begin
      set local lock_timeout = '200ms';
      lock table @schema@.orders, @schema@.shipments in share row exclusive mode;
      return;
    exception when lock_not_available then
      perform pg_sleep(0.5);
    end;
  end loop;
end $$;

-- @step
-- The records that the functions have not counted. Records and counts are those of one snapshot, so changes meanwhile are
-- counted once, and a repetition adds nothing.
insert into status_counts (business_id, entity_type, status_after, records)
select business_id, entity_type, status, sum(records)
from (select business_id, 0 as entity_type, status, count(*) as records from orders where deleted_at is null group by 1, 3
      union all
      select business_id, 1, status, count(*) from shipments where deleted_at is null group by 1, 3
      union all
      select business_id, entity_type, status_after, -records from status_counts where status_after is not null
      union all
      select business_id, entity_type, status_before, records from status_counts where status_before is not null) r
group by 1, 2, 3
having sum(records) <> 0;

-- @step
-- The text in which the list of shipments searches. search_text of 0007_shipments.sql also has the sender and the street,
-- so its index finds all shipments for the sender's name.
create or replace function found_text(s shipments) returns text language sql immutable
return lower(coalesce(s.tracking_number, '') || E'\n' || coalesce(s.recipient_name, '') || E'\n' ||
             coalesce(s.recipient_city, '') || E'\n' || coalesce(s.carrier_tracking_number, '') || E'\n' ||
             coalesce(s.recipient_company, ''));

-- @step
drop index concurrently if exists @schema@.shipments_by_found_text;

-- @step
create index concurrently shipments_by_found_text on shipments using gin (business_id,
  lower(coalesce(tracking_number, '') || E'\n' || coalesce(recipient_name, '') || E'\n' || coalesce(recipient_city, '') ||
        E'\n' || coalesce(carrier_tracking_number, '') || E'\n' || coalesce(recipient_company, '')) gin_trgm_ops)
  where deleted_at is null;
