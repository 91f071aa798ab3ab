-- The stores that businesses have connected, what was imported from them, and the sweeps over them.

create table integrations (
  business_id       uuid not null references businesses,
  guid              uuid not null default gen_random_uuid(),
  provider          text not null check (provider <> ''),   -- the code of its connector
  store_url         text not null check (store_url <> ''),  -- in the connector's normal form
  api_key           bytea not null,                         -- sealed
  api_secret        bytea,                                  -- sealed; null where the provider has none
  auto_import       boolean not null default true,
  sync_products     boolean not null default false,
  push_tracking     boolean not null default false,
  status            text not null default 'active' check (status in ('active', 'disabled')),
  connected_at      timestamptz(3) not null default now(),
  removed_at        timestamptz(3),  -- its imported orders stay, and are known again when the store comes back
  orders_reached    timestamptz,     -- what changed in the store before this is here: the store's time
  orders_moved_at   timestamptz,     -- when that was last moved: our time
  orders_swept_at   timestamptz,     -- when the last sweep that came to its end began: our time
  products_reached  timestamptz,
  products_moved_at timestamptz,
  products_swept_at timestamptz,
  due_at            timestamptz not null default now(),  -- of the next sweep
  requested_run     uuid,                                -- a sweep that somebody asked for, not begun
  lease_owner       uuid,                                -- the worker that sweeps, until
  lease_until       timestamptz,
  failures          integer not null default 0,          -- sweeps in a row that the store ended
  primary key (business_id, guid),
  constraint integrations_lease_whole check ((lease_owner is null) = (lease_until is null))
);
create unique index integrations_store_unique on integrations (business_id, provider, store_url);
-- A store's webhook names the integration alone.
create unique index integrations_by_guid on integrations (guid);
create index integrations_due on integrations (due_at) where status = 'active' and removed_at is null;
create index integrations_leased on integrations (lease_owner) where lease_owner is not null;

-- An import: one sweep, or several when it had to give way or its worker was killed. Written when it begins, or is asked
-- for, and brought up to date with each page.
create table integration_runs (
  business_id     uuid not null,
  guid            uuid not null,  -- of version 7: sorts by time
  integration_id  uuid not null,
  started_at      timestamptz(3) not null default now(),
  finished_at     timestamptz(3),
  imported        integer not null default 0,
  updated         integer not null default 0,
  unchanged       integer not null default 0,
  failed          integer not null default 0,
  errors          jsonb not null default '[]',  -- [{externalId, orderNumber, reason}], at most 100
  requested       boolean not null default false,  -- somebody asked for it, and it has begun
  primary key (business_id, guid)
);
create index integration_runs_by_integration on integration_runs (business_id, integration_id, guid);
create index integration_runs_by_start on integration_runs (started_at);
create index integration_runs_open on integration_runs (business_id, integration_id) where finished_at is null;

-- What an order was when it was last imported: only what the store has changed since is written again.
create table imported_orders (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  order_id        uuid not null,
  digest          text not null,  -- of what was imported, without its status
  status          text not null,   -- as the store had it
  primary key (business_id, integration_id, external_id)
);
create index imported_orders_by_order on imported_orders (business_id, order_id);

create table imported_products (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  product_id      uuid not null,
  digest          text not null,
  primary key (business_id, integration_id, external_id)
);

-- Orders of a store that could not be imported, to be tried again.
create table import_failures (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  order_number    text,
  reason          text not null,
  tries           integer not null default 1,
  due_at          timestamptz not null,
  run_id          uuid not null,  -- that found it wrong last
  primary key (business_id, integration_id, external_id)
);

-- Calls of stores' webhooks that were seen, each of which starts one sweep.
create table inbound_deliveries (
  business_id     uuid not null,
  integration_id  uuid not null,
  delivery_id     text not null,
  received_at     timestamptz not null default now(),
  primary key (business_id, integration_id, delivery_id)
);
create index inbound_deliveries_by_age on inbound_deliveries (received_at);

-- Which worker tells a store of a shipment of an order now: of two at a time neither would see what the other adds.
create table tracking_pushes (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  worker          uuid not null,
  held_until      timestamptz not null,
  primary key (business_id, integration_id, external_id)
);
