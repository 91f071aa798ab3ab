-- Integrations: the stores that businesses have connected, and what was imported from them.

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
  removed_at        timestamptz(3),  -- its orders stay, and are recognized when the store is connected again
  orders_reached    timestamptz,     -- changes before it are imported; the store's clock
  orders_moved_at   timestamptz,     -- time of the last change of orders_reached; our clock
  orders_swept_at   timestamptz,     -- begin of the last complete sweep; our clock
  products_reached  timestamptz,
  products_moved_at timestamptz,
  products_swept_at timestamptz,
  due_at            timestamptz not null default now(),  -- time of the next sweep
  requested_run     uuid,                                -- run of a requested sweep that has not begun
  lease_owner       uuid,                                -- the worker that sweeps until lease_until
  lease_until       timestamptz,
  failures          integer not null default 0,          -- consecutive sweeps that failed because of the store
  primary key (business_id, guid),
  constraint integrations_lease_whole check ((lease_owner is null) = (lease_until is null))
);
create unique index integrations_store_unique on integrations (business_id, provider, store_url);
-- A store's webhook names the integration without the business.
create unique index integrations_by_guid on integrations (guid);
create index integrations_due on integrations (due_at) where status = 'active' and removed_at is null;
create index integrations_leased on integrations (lease_owner) where lease_owner is not null;

-- An import: one sweep, or several if it yields to other stores or its worker is killed. The row is written when the import
-- begins or is requested, and updated with each page.
create table integration_runs (
  business_id     uuid not null,
  guid            uuid not null,  -- version 7, so it sorts by time
  integration_id  uuid not null,
  started_at      timestamptz(3) not null default now(),
  finished_at     timestamptz(3),
  imported        integer not null default 0,
  updated         integer not null default 0,
  unchanged       integer not null default 0,
  failed          integer not null default 0,
  errors          jsonb not null default '[]',  -- [{externalId, orderNumber, reason}], at most 100
  requested       boolean not null default false,  -- a user requested it, and it has begun
  primary key (business_id, guid)
);
create index integration_runs_by_integration on integration_runs (business_id, integration_id, guid);
create index integration_runs_by_start on integration_runs (started_at);
create index integration_runs_open on integration_runs (business_id, integration_id) where finished_at is null;

-- Orders as they were last imported. Only orders that the store has changed since are written again.
create table imported_orders (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  order_id        uuid not null,
  digest          text not null,  -- hash of the imported order without its status
  status          text not null,  -- the store's status
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

-- Orders that could not be imported. The import is repeated when due_at has come.
create table import_failures (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  order_number    text,
  reason          text not null,
  tries           integer not null default 1,
  due_at          timestamptz not null,
  run_id          uuid not null,  -- the last run that failed to import it
  primary key (business_id, integration_id, external_id)
);

-- Deliveries of stores' webhooks that have been received. Each starts one sweep; a repeated one starts none.
create table inbound_deliveries (
  business_id     uuid not null,
  integration_id  uuid not null,
  delivery_id     text not null,
  received_at     timestamptz not null default now(),
  primary key (business_id, integration_id, delivery_id)
);
create index inbound_deliveries_by_age on inbound_deliveries (received_at);

-- The worker that pushes tracking of an order to its store. Two at the same time would not see each other's additions.
create table tracking_pushes (
  business_id     uuid not null,
  integration_id  uuid not null,
  external_id     text not null,
  worker          uuid not null,
  held_until      timestamptz not null,
  primary key (business_id, integration_id, external_id)
);

-- The managed workflow that pushes tracking is switched on with the first active integration that has push_tracking, and
-- off with the last. In between it is switched like any other workflow.
create function wants_tracking(i integrations) returns boolean language sql immutable as $$
  select i.status = 'active' and i.removed_at is null and i.push_tracking $$;

create function switch_push_tracking() returns trigger language plpgsql as $$
declare
  changed integrations := case when tg_op = 'DELETE' then old else new end;
  wanted boolean := tg_op <> 'DELETE' and wants_tracking(new);
begin
  if wanted = (tg_op <> 'INSERT' and wants_tracking(old)) then return null; end if;
  -- Locks the workflow: of two integrations that change at the same time, the second sees the first.
  perform from workflows w
  where w.business_id = changed.business_id and w.is_managed and w.action ->> 'type' = 'push_tracking' for update;
  if exists (select from integrations i
             where i.business_id = changed.business_id and i.guid <> changed.guid and wants_tracking(i)) then
    return null;
  end if;
  update workflows w
  set is_active = wanted, active_since = case when wanted then now() else w.active_since end, updated_at = now()
  where w.business_id = changed.business_id and w.is_managed and w.action ->> 'type' = 'push_tracking'
    and w.is_active <> wanted;
  return null;
end $$;
create trigger switch_push_tracking after insert or update of status, push_tracking, removed_at or delete on integrations
  for each row execute function switch_push_tracking();
