-- The outbox: events, their shards, the workers that match them, and the numbers of records.

-- No cache: the ids of one record are drawn while its row is locked, so they are in commit order.
create sequence event_ids cache 1;

-- One row for each insert, update and delete of a record, written by the triggers of 0009_event_triggers.sql in the same
-- transaction. The record before and after is kept as a value of its table's row type, which costs the writer least
-- (docs/decisions/0004). Therefore a column is added to a record table without a default.
create table events (
  id               bigint not null default nextval('event_ids'),
  at               timestamptz not null default clock_timestamp(),
  business_id      uuid not null,
  entity_type      smallint not null check (entity_type between 0 and 3),
  entity_id        uuid not null,
  cause            jsonb,  -- author and depth of the change, see event_cause
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
-- The few events by which a shipment left its order: only they hold the order's id, not the shipment's row.
create index events_by_order_left on events (business_id, ((shipment_before).order_id))
  where (shipment_before).order_id is not null and (shipment_after).order_id is distinct from (shipment_before).order_id;

-- Events that no worker has recorded yet. Workers read them by shard and id, so business_id does not lead the key.
create table pending_events (
  shard        smallint not null,
  id           bigint not null,
  business_id  uuid not null,
  at           timestamptz not null,
  primary key (shard, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);

-- Each shard and the worker that matches its events. A live owner holds the advisory lock worker_lock(owner).
create table shards (
  shard       smallint primary key,
  owner       uuid,
  epoch       bigint not null default 0,       -- grows with each owner
  orphaned    boolean not null default false   -- the previous owner did not give it back
);
insert into shards (shard) select generate_series(0, 15);

create function shard_of(business_id uuid) returns smallint language sql immutable
return (uuid_hash(business_id) & 15)::smallint;

create table workers (
  guid              uuid primary key,
  name              text not null,
  started_at        timestamptz not null default now(),
  renders_deferred  boolean  -- it can render runs with the request 'null'
);

create function worker_lock(worker uuid) returns bigint language sql immutable as $$
  select uuid_hash_extended(worker, 0) $$;

-- A worker adds rows to worker_beats and worker_words several times a second, and the one with the highest id counts.
-- Rows are not updated: while any session holds a snapshot, every version of a row stays, and writers of records would
-- read the newest version by way of all the others.
create table worker_beats (
  worker      uuid not null,
  id          bigint generated always as identity,
  expires_at  timestamptz not null,  -- end of the lease of its shards
  matched_at  timestamptz not null,  -- all changes committed by then are matched
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

-- Numbers of records by business and entity type: sums of delta. Writers add rows and a duty sums them up, so writers
-- never wait for each other.
create table record_counts (
  business_id  uuid not null,
  entity_type  smallint not null,
  delta        bigint not null
);
create index record_counts_by_business on record_counts (business_id, entity_type) include (delta);

-- Status changes of events that are older than the outbox keeps, written when a partition is dropped.
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

-- The status change of an event; no row if it is none.
create function status_changes(e events) returns setof status_history language sql stable as $$
  select e.business_id, e.entity_id, e.id, e.at, s.before, s.after, e.cause
  from (select case e.entity_type when 0 then (e.order_before).status else (e.shipment_before).status end as before,
               case e.entity_type when 0 then (e.order_after).status else (e.shipment_after).status end as after) s
  where e.entity_type < 2 and s.after is not null and s.before is distinct from s.after $$;
