-- The outbox. Every insert, update and delete of a record writes one event in its own transaction, whoever makes it.
-- The rows before and after are kept as values of their table's own type, which costs the writer least
-- (docs/decisions/0004). A column added to a record table must therefore be added without a default.

create sequence event_ids cache 1;  -- ids of one record are drawn under its row lock: in commit order

create table events (
  id               bigint not null default nextval('event_ids'),
  at               timestamptz not null default clock_timestamp(),
  business_id      uuid not null,
  entity_type      smallint not null check (entity_type between 0 and 3),
  entity_id        uuid not null,
  cause            jsonb,  -- who and why; null: plain SQL
  order_before     orders,
  order_after      orders,
  shipment_before  shipments,
  shipment_after   shipments,
  customer_before  customers,
  customer_after   customers,
  product_before   products,
  product_after    products
) partition by range (at);
create index events_by_id on events (id);
create index events_by_entity on events (business_id, entity_id, id);
-- Of the few by which a shipment left its order: what the order had before is otherwise found in the shipment's row.
create index events_by_order_left on events (business_id, ((shipment_before).order_id))
  where (shipment_before).order_id is not null and (shipment_after).order_id is distinct from (shipment_before).order_id;

-- What no worker has recorded yet. Scanned by id within a shard, which is why business_id does not lead the key.
create table pending_events (
  shard        smallint not null,
  id           bigint not null,
  business_id  uuid not null,
  at           timestamptz not null,
  primary key (shard, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);

-- Who matches a shard's events. An owner that lives holds an advisory lock of its name for as long.
create table shards (
  shard       smallint primary key,
  owner       uuid,
  epoch       bigint not null default 0,       -- grows with each owner
  orphaned    boolean not null default false   -- the owner before did not give it back
);
create table workers (
  guid        uuid primary key,
  name        text not null,
  started_at  timestamptz not null default now()
);

-- What a worker says several times a second, the newest row first in the key: rows are added and not changed, for while
-- anybody holds a snapshot every version of a row stays, and writers would read the newest by way of all of them.
create table worker_beats (
  worker      uuid not null,
  id          bigint generated always as identity,
  expires_at  timestamptz not null,  -- of its hold on its shards
  matched_at  timestamptz not null,  -- up to then all that was committed is matched
  primary key (worker, id)
);
create table worker_words (
  worker      uuid not null,
  id          bigint generated always as identity,
  idle        boolean not null,  -- it waits for a NOTIFY
  primary key (worker, id)
);

create function lease_end(worker uuid) returns timestamptz language sql stable as $$
  select coalesce((select b.expires_at from worker_beats b where b.worker = lease_end.worker order by b.id desc limit 1),
                  '-infinity') $$;

create function worker_lock(worker uuid) returns bigint language sql immutable as $$
  select uuid_hash_extended(worker, 0) $$;

insert into shards (shard) select generate_series(0, 15);

create function shard_of(business_id uuid) returns smallint language sql immutable as $$
  select (uuid_hash(business_id) & 15)::smallint $$;

-- Rows of each business and kind: changes are appended and folded now and then, so that writers never meet on a row.
create table record_counts (
  business_id  uuid not null,
  entity_type  smallint not null,
  delta        bigint not null
);
create index record_counts_by_business on record_counts (business_id, entity_type) include (delta);

create function refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'truncate of % would lose events; use delete', tg_table_name using errcode = 'feature_not_supported';
end $$;

create function refuse_new_key() returns trigger language plpgsql as $$
begin
  raise exception 'business_id and guid of % never change', tg_table_name using errcode = 'restrict_violation';
end $$;

-- One statement a change: the events, what is pending of them, and the counts. NOTIFY takes a lock of the whole
-- database at commit, so only a worker that sleeps is called; `waybill.notify = off` (of a role or database) leaves
-- it to the worker's poll. Soft deletion deletes, its reversal creates.
do $make$
declare
  kind record;
  change record;
begin
  for kind in select * from (values ('orders', 'order', 0), ('shipments', 'shipment', 1), ('customers', 'customer', 2),
                                    ('products', 'product', 3)) k (record_table, prefix, entity_type) loop
    for change in
      select * from (values
        ('insert', 'referencing new table as new_rows', 'new_rows n', 'n.business_id, n.guid', 'null',
         'row(n.*)::%s', 'n.deleted_at is null'),
        ('update', 'referencing old table as old_rows new table as new_rows',
         'new_rows n join old_rows o on o.business_id = n.business_id and o.guid = n.guid', 'n.business_id, n.guid',
         'case when o.deleted_at is null then row(o.*)::%s end', 'case when n.deleted_at is null then row(n.*)::%s end',
         'o.deleted_at is null or n.deleted_at is null'),
        ('delete', 'referencing old table as old_rows', 'old_rows o', 'o.business_id, o.guid', 'row(o.*)::%s',
         'null', 'o.deleted_at is null')) c (operation, tables, source, key, before, after, alive)
    loop
      execute format($template$
        create function record_%2$s_%4$s() returns trigger language plpgsql as $f$
        begin
          with written as (
            insert into events (business_id, entity_id, entity_type, cause, %2$s_before, %2$s_after)
            select %7$s, %3$s, nullif(current_setting('waybill.cause', true), '')::jsonb,
                   %8$s, %9$s
            from %6$s
            where %10$s
            returning id, business_id, at, (%2$s_before is null)::int - (%2$s_after is null)::int as step
          ), pending as (
            insert into pending_events (shard, id, business_id, at)
            select shard_of(business_id), id, business_id, at from written
          )
          insert into record_counts (business_id, entity_type, delta)
          select business_id, %3$s, sum(step) from written where step <> 0 group by business_id;
          if exists (select from workers w,
                       lateral (select o.idle from worker_words o where o.worker = w.guid order by o.id desc limit 1) o,
                       lateral (select b.expires_at from worker_beats b where b.worker = w.guid order by b.id desc limit 1) b
                     where o.idle and b.expires_at > now())
             and current_setting('waybill.notify', true) is distinct from 'off' then
            perform pg_notify('waybill_events', '');
          end if;
          return null;
        end $f$;

        create trigger event_%4$s after %4$s on %1$I %5$s for each statement execute function record_%2$s_%4$s();
      $template$, kind.record_table, kind.prefix, kind.entity_type, change.operation, change.tables, change.source,
                  change.key, format(change.before, kind.record_table),
                  format(change.after, kind.record_table), change.alive);
    end loop;
    execute format('create trigger truncation before truncate on %I for each statement execute function refuse_truncate()',
                   kind.record_table);
    execute format('create trigger new_key before update of business_id, guid on %I for each row
                    when ((old.business_id, old.guid) is distinct from (new.business_id, new.guid))
                    execute function refuse_new_key()', kind.record_table);
  end loop;
end $make$;

-- Status changes of events older than the outbox keeps; written when a partition is dropped.
create table status_history (
  business_id  uuid not null,
  entity_id    uuid not null,
  event_id     bigint not null,
  at           timestamptz not null,
  status_from  text,
  status_to    text not null,
  cause        jsonb,
  primary key (business_id, entity_id, event_id)
);

-- The status change an event is, if it is one.
create function status_changes(e events) returns setof status_history language sql stable as $$
  select e.business_id, e.entity_id, e.id, e.at, s.before, s.after, e.cause
  from (select case e.entity_type when 0 then (e.order_before).status else (e.shipment_before).status end as before,
               case e.entity_type when 0 then (e.order_after).status else (e.shipment_after).status end as after) s
  where e.entity_type < 2 and s.after is not null and s.before is distinct from s.after $$;
