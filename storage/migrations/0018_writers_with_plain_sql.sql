-- Whoever may write a record table needs no other right, and can neither suppress nor forge an event: the trigger functions of
-- the record tables run with the rights of their owner and look up names in the schema of waybill alone, the writer's
-- temporary tables last.

-- The cause that an event keeps. Only members of the role that owns the trigger functions, by which they run, can name
-- somebody or a depth; everybody else is named by the role of their session. This body and the next are parsed here and now:
-- no search_path changes what they call.
create function event_cause() returns jsonb language sql stable
return coalesce(
  case when session_user = current_user or pg_has_role(session_user, current_user, 'member')
    then nullif(current_setting('waybill.cause', true), '')::jsonb end,
  jsonb_build_object('by', jsonb_build_object('type', 'sql', 'name', session_user)));

create or replace function shard_of(business_id uuid) returns smallint language sql immutable
return (uuid_hash(business_id) & 15)::smallint;

-- As in 0003, but for the cause, and with every name qualified, operators too: a search_path that is set and taken back costs a
-- change of one record 6 to 10 microseconds.
do $make$
declare
  home text := (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'orders'::regclass);
  kind record;
  change record;
begin
  for kind in select * from (values ('orders', 'order', 0), ('shipments', 'shipment', 1), ('customers', 'customer', 2),
                                    ('products', 'product', 3)) k (record_table, prefix, entity_type) loop
    for change in
      select * from (values
        ('insert', 'new_rows n', 'n.business_id, n.guid', 'null', 'row(n.*)::%s', 'n.deleted_at is null'),
        ('update', 'new_rows n join old_rows o on o.business_id operator(pg_catalog.=) n.business_id
                                              and o.guid operator(pg_catalog.=) n.guid',
         'n.business_id, n.guid', 'case when o.deleted_at is null then row(o.*)::%s end',
         'case when n.deleted_at is null then row(n.*)::%s end', 'o.deleted_at is null or n.deleted_at is null'),
        ('delete', 'old_rows o', 'o.business_id, o.guid', 'row(o.*)::%s', 'null', 'o.deleted_at is null'))
        c (operation, source, key, before, after, alive)
    loop
      execute format($template$
        create or replace function record_%2$s_%4$s() returns trigger language plpgsql security definer as $f$
        begin
          with written as (
            insert into %1$I.events (business_id, entity_id, entity_type, cause, %2$s_before, %2$s_after)
            select %6$s, %3$s, %1$I.event_cause(), %7$s, %8$s
            from %5$s
            where %9$s
            returning id, business_id, at, (%2$s_before is null)::int operator(pg_catalog.-) (%2$s_after is null)::int as step
          ), pending as (
            insert into %1$I.pending_events (shard, id, business_id, at)
            select %1$I.shard_of(business_id), id, business_id, at from written
          )
          insert into %1$I.record_counts (business_id, entity_type, delta)
          select business_id, %3$s, pg_catalog.sum(step) from written where step operator(pg_catalog.<>) 0 group by business_id;
          if exists (select from %1$I.workers w,
                       lateral (select o.idle from %1$I.worker_words o
                                where o.worker operator(pg_catalog.=) w.guid order by o.id desc limit 1) o,
                       lateral (select b.expires_at from %1$I.worker_beats b
                                where b.worker operator(pg_catalog.=) w.guid order by b.id desc limit 1) b
                     where o.idle and b.expires_at operator(pg_catalog.>) pg_catalog.now())
             and coalesce(pg_catalog.current_setting('waybill.notify', true), '') operator(pg_catalog.<>) 'off' then
            perform pg_catalog.pg_notify('waybill_events', '');
          end if;
          return null;
        end $f$
      $template$, home, kind.prefix, kind.entity_type, change.operation, change.source, change.key,
                  format(change.before, format('%I.%I', home, kind.record_table)),
                  format(change.after, format('%I.%I', home, kind.record_table)), change.alive);
    end loop;
  end loop;
end $make$;

-- Likewise.
create or replace function touch_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := pg_catalog.now();
  return new;
end $$;

-- Nobody else may call them: a trigger on a table of one's own would forge events with the owner's rights. The same holds for
-- the schema, whose functions they call.
do $rights$
declare
  home text := (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'orders'::regclass);
  function record;
begin
  for function in select distinct t.tgfoid::regprocedure as signature, p.proname as name
                  from pg_trigger t join pg_proc p on p.oid = t.tgfoid
                  where not t.tgisinternal and p.proname <> 'touch_updated_at'
                    and t.tgrelid in ('orders'::regclass, 'shipments'::regclass, 'customers'::regclass, 'products'::regclass)
  loop
    if function.name !~ '^record_' then
      execute format('alter function %s security definer set search_path to pg_catalog, %I, pg_temp', function.signature, home);
    end if;
    execute format('revoke execute on function %s from public', function.signature);
  end loop;
  execute format('revoke create on schema %I from public', home);
end $rights$;

-- Functions that write are for the owner alone as well, though they run with their caller's rights.
revoke execute on function make_partition(text, date), drop_partition(text), make_partitions_of(text[], date, date),
  drop_partitions_of(text[], date), make_partitions(date, date), drop_partitions(date), make_position_partitions(date, date),
  drop_position_partitions(date), next_order_number(uuid), next_sku(uuid), find_or_add_customer(uuid, text, text, text),
  add_managed_workflows(uuid), end_dispatch(uuid, uuid, text), complete_dispatch_if_done(uuid, uuid) from public;
