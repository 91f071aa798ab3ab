-- The triggers of the record tables that write events.
--
-- For each statement that changes records, a trigger adds the events, the rows of pending_events and the change of the
-- number of records. A soft deletion counts as a deletion: the event has no record after it, and a record that is
-- restored has none before. Changes of deleted records are no events.
--
-- Every function and operator is qualified, so the writer's search_path and temporary tables have no effect. A
-- search_path of the function would do the same, but setting and resetting it costs 6 to 10 µs for each change.
-- 0004_customers_and_products.sql says why the functions are `security definer`.

-- The cause of an event: the setting waybill.cause if the session's user owns the trigger functions or is a member of
-- their owner, and otherwise the session's user. PostgreSQL parses this body (and that of shard_of) when the function is
-- created, so no search_path changes what it calls.
create function event_cause() returns jsonb language sql stable
return coalesce(
  case when session_user = current_user or pg_has_role(session_user, current_user, 'member')
    then nullif(current_setting('waybill.cause', true), '')::jsonb end,
  jsonb_build_object('by', jsonb_build_object('type', 'sql', 'name', session_user)));

-- True if a live worker waits for a NOTIFY. Busy workers get none, because it takes a lock of the whole database at
-- commit. With waybill.notify = off (for a role or database), idle workers find the event when they look next. Called in a
-- condition, the function costs nothing measurable; `perform` would run a query, which costs an update 3 %.
create function is_notify_due() returns boolean language plpgsql stable as $$
begin
  return coalesce(pg_catalog.current_setting('waybill.notify', true), '') operator(pg_catalog.<>) 'off'
         and exists (select from @schema@.workers w,
                       lateral (select o.idle from @schema@.worker_words o
                                where o.worker operator(pg_catalog.=) w.guid order by o.id desc limit 1) o,
                       lateral (select b.expires_at from @schema@.worker_beats b
                                where b.worker operator(pg_catalog.=) w.guid order by b.id desc limit 1) b
                     where o.idle and b.expires_at operator(pg_catalog.>) pg_catalog.now());
end $$;
revoke execute on function is_notify_due() from public;

-- Orders

create function record_order_insert() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select n.business_id, n.guid, 0, @schema@.event_cause(),
           null, row(n.*)::@schema@.orders
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 0, pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_order_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select n.business_id, n.guid, 0, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.orders end,
           case when n.deleted_at is null then row(n.*)::@schema@.orders end
    from new_rows n
    join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (order_before is null)::int operator(pg_catalog.-) (order_after is null)::int as delta
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 0, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_order_delete() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select o.business_id, o.guid, 0, @schema@.event_cause(),
           row(o.*)::@schema@.orders, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 0, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

revoke execute on function record_order_insert(), record_order_update(), record_order_delete() from public;
create trigger event_insert after insert on orders referencing new table as new_rows
  for each statement execute function record_order_insert();
create trigger event_update after update on orders referencing old table as old_rows new table as new_rows
  for each statement execute function record_order_update();
create trigger event_delete after delete on orders referencing old table as old_rows
  for each statement execute function record_order_delete();

-- Shipments

create function record_shipment_insert() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select n.business_id, n.guid, 1, @schema@.event_cause(),
           null, row(n.*)::@schema@.shipments
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_shipment_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select n.business_id, n.guid, 1, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.shipments end,
           case when n.deleted_at is null then row(n.*)::@schema@.shipments end
    from new_rows n
    join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (shipment_before is null)::int operator(pg_catalog.-) (shipment_after is null)::int as delta
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_shipment_delete() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select o.business_id, o.guid, 1, @schema@.event_cause(),
           row(o.*)::@schema@.shipments, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

revoke execute on function record_shipment_insert(), record_shipment_update(), record_shipment_delete() from public;
create trigger event_insert after insert on shipments referencing new table as new_rows
  for each statement execute function record_shipment_insert();
create trigger event_update after update on shipments referencing old table as old_rows new table as new_rows
  for each statement execute function record_shipment_update();
create trigger event_delete after delete on shipments referencing old table as old_rows
  for each statement execute function record_shipment_delete();

-- Customers

create function record_customer_insert() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, customer_before, customer_after)
    select n.business_id, n.guid, 2, @schema@.event_cause(),
           null, row(n.*)::@schema@.customers
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 2, pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_customer_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, customer_before, customer_after)
    select n.business_id, n.guid, 2, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.customers end,
           case when n.deleted_at is null then row(n.*)::@schema@.customers end
    from new_rows n
    join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (customer_before is null)::int operator(pg_catalog.-) (customer_after is null)::int as delta
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 2, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_customer_delete() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, customer_before, customer_after)
    select o.business_id, o.guid, 2, @schema@.event_cause(),
           row(o.*)::@schema@.customers, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 2, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

revoke execute on function record_customer_insert(), record_customer_update(), record_customer_delete() from public;
create trigger event_insert after insert on customers referencing new table as new_rows
  for each statement execute function record_customer_insert();
create trigger event_update after update on customers referencing old table as old_rows new table as new_rows
  for each statement execute function record_customer_update();
create trigger event_delete after delete on customers referencing old table as old_rows
  for each statement execute function record_customer_delete();

-- Products

create function record_product_insert() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, product_before, product_after)
    select n.business_id, n.guid, 3, @schema@.event_cause(),
           null, row(n.*)::@schema@.products
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 3, pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_product_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, product_before, product_after)
    select n.business_id, n.guid, 3, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.products end,
           case when n.deleted_at is null then row(n.*)::@schema@.products end
    from new_rows n
    join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (product_before is null)::int operator(pg_catalog.-) (product_after is null)::int as delta
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 3, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

create function record_product_delete() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, product_before, product_after)
    select o.business_id, o.guid, 3, @schema@.event_cause(),
           row(o.*)::@schema@.products, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 3, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

revoke execute on function record_product_insert(), record_product_update(), record_product_delete() from public;
create trigger event_insert after insert on products referencing new table as new_rows
  for each statement execute function record_product_insert();
create trigger event_update after update on products referencing old table as old_rows new table as new_rows
  for each statement execute function record_product_update();
create trigger event_delete after delete on products referencing old table as old_rows
  for each statement execute function record_product_delete();

-- Changes that the triggers above cannot record

create function refuse_truncate() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  raise exception 'truncate of % would lose events; use delete', tg_table_name using errcode = 'feature_not_supported';
end $$;

create function refuse_new_key() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  raise exception 'business_id and guid of % never change', tg_table_name using errcode = 'restrict_violation';
end $$;

revoke execute on function refuse_truncate(), refuse_new_key() from public;

create trigger refuse_truncate before truncate on orders for each statement execute function refuse_truncate();
create trigger refuse_new_key before update of business_id, guid on orders for each row
  when ((old.business_id, old.guid) is distinct from (new.business_id, new.guid)) execute function refuse_new_key();
create trigger refuse_truncate before truncate on shipments for each statement execute function refuse_truncate();
create trigger refuse_new_key before update of business_id, guid on shipments for each row
  when ((old.business_id, old.guid) is distinct from (new.business_id, new.guid)) execute function refuse_new_key();
create trigger refuse_truncate before truncate on customers for each statement execute function refuse_truncate();
create trigger refuse_new_key before update of business_id, guid on customers for each row
  when ((old.business_id, old.guid) is distinct from (new.business_id, new.guid)) execute function refuse_new_key();
create trigger refuse_truncate before truncate on products for each statement execute function refuse_truncate();
create trigger refuse_new_key before update of business_id, guid on products for each row
  when ((old.business_id, old.guid) is distinct from (new.business_id, new.guid)) execute function refuse_new_key();

-- A role that may create functions or operators in the schema could make the owner of the functions above execute them.
revoke create on schema @schema@ from public;
